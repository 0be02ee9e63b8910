"""Refinement: from the judges' verdicts to a plan, to proven repairs, to a result with a reason.

Every module only decides; `iterations` calls the models and writes the journal:

    types       verdicts, issues, tasks, plans, results, with the names of the contract's JSON
    verdicts    judgements, section by section -> one result of the panel (CLEV)
    arbiter     a result -> a plan: which issues count, and one task per section
    router      a plan -> the kind of repair for each task, and the batches
    verify      a repair -> whether it is kept (length, readability, the delta judge, quality locks)
    controller  an iteration -> the next state, stop or continue; at the end a status
    events      the events in the journal
    display     the data for display, computed from the events
"""
