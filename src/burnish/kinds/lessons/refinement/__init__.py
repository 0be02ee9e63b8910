"""Refinement: from the judges' verdicts to a plan, to repairs that are proven, to an ending with a reason.

Every module is a pure decision; the procedure asks the models and writes the journal:

    types       verdicts, issues, tasks, plans, results, with the names of the wire
    verdicts    what the judges said, section by section -> one result of the panel (CLEV)
    arbiter     a result -> a plan: which issues count, and one task a section
    router      a plan -> which repair each task gets, in which batches
    verify      a repair -> does it stand? (length, readability, the delta judge, quality locks)
    controller  an iteration -> the next state, stop or go on; at the end a status
    events      what is journalled
    display     what people see, folded from the events
"""
