"""The procedure: how a lesson is polished, from the free rules to an ending with a reason.

Every function here is a generator in the manner of `core.effects`: it says what to ask and what to write down, and
is sent back what came of it. The decisions themselves are made in `refinement` and `self_review`.

    whole        the five stages in order
    desk         the lesson in work: all that changes while it is polished
    reviewing    stage 1: rules, the cheap reader, claims against the source
    cleaning     what rules found and people wrote, mended before anyone judges
    rewriting    writing units again, where there is a generator
    judging      stage 2: the panel, unit by unit, and never twice the same text
    refining     stages 3 to 5: plan, batches, judging again, stop
    mending      a batch of tasks: the smallest edit, proven or rolled back (repair, writing, admitting, comparing)
    transitions  whether a section still follows on one that was written anew
    ceilings     what repairs may cost at most
"""
