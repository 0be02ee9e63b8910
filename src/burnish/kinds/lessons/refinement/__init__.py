"""Refinement: from the judges' verdicts to a plan, to repairs that are proven, to an ending with a reason.

Everything here is a pure decision. Whoever drives it asks the models and writes the journal:

    scoring      what the judges said, section by section -> a verdict on the lesson
    clev         verdicts -> one result (CLEV: a third judge only where two disagree)
    arbiter      a result -> a plan: which issues count, who fixes them, in which batches (routing, batches)
    verifying    a repair -> does it stand? (readability, quality locks, length)
    controller   an iteration -> the next state, and go on or stop
    ending       a state -> accepted, accepted_warning, best_effort, escalated
    events       what is journalled; display folds it into what people see
"""
