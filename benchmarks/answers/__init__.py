"""The answers: what the default job finds on real tables, beside what a careful person would do by hand.

``python -m benchmarks.answers`` runs what is missing and writes ``docs/answers.md``. Every finished cell (set, fold,
procedure) is kept in ``benchmarks/results/answers``, so that a run goes on where the last one ended.
"""
