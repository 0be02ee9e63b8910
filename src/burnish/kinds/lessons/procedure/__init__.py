"""The stages of the work on a lesson, which `kinds.lessons.work` puts in order.

Every function here is a generator over `core.effects`: it yields what to ask and what to write down, and is sent back
the answers. The decisions themselves are made in `refinement` and `self_review`.

    progress     the lesson in work: its text, judgements, kept attempts and tokens
    prejudge     stage 1: rules, the first review, claims against the source; then prejudge repairs
    panel        stage 2: the judges, unit by unit, and never twice the same text
    iterations   stages 3 to 5: plan, batches of repairs, judging again, stop
    repairs      one batch: new text checked by rules and the delta judge, kept or rolled back
    drafts       the new text: patching, expanding, regenerating, and what is refused
"""
