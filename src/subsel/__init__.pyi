from subsel import construct as construct
from subsel import criteria as criteria
from subsel import datasets as datasets
from subsel import engine as engine
from subsel import ranking as ranking
from subsel import recipes as recipes
from subsel import search as search
from subsel.engine import Budget as Budget
from subsel.ranking.selector import RankingSelector as RankingSelector
from subsel.result import Result as Result
from subsel.selector import SubsetSelector as SubsetSelector

__version__: str
