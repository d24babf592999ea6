from subsel import assessment as assessment
from subsel import construct as construct
from subsel import criteria as criteria
from subsel import data as data
from subsel import embedded as embedded
from subsel import engine as engine
from subsel import literature as literature
from subsel import models as models
from subsel import ranking as ranking
from subsel import report as report
from subsel import search as search
from subsel import testing as testing
from subsel.assessment.comparison import compare as compare
from subsel.assessment.nested import assess as assess
from subsel.auto import AutoSelector as AutoSelector
from subsel.engine.budget import Budget as Budget
from subsel.ranking.selector import RankingSelector as RankingSelector
from subsel.ranking.stored.rank_stored import rank_stored as rank_stored
from subsel.result.result import Result as Result
from subsel.selector.stored import search_stored as search_stored
from subsel.selector.subset import SubsetSelector as SubsetSelector

__version__: str
