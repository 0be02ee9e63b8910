"""The words that `questions_corpus` builds its questions from: invented for measuring, no fact to rely on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def phrases(text: str) -> tuple[str, ...]:
    """One phrase between two semicolons."""
    return tuple(" ".join(part.split()) for part in text.split(";") if part.strip())


SYMPTOMS = phrases("""
    shortness of breath; chest tightness; burning with urination; a dry cough; night sweats; swelling of both ankles;
    double vision; a spreading rash; numbness of the left hand; palpitations; loss of appetite; difficulty swallowing;
    severe headaches; joint stiffness; fatigue; abdominal cramps; bloody stools; hoarseness; recurrent nosebleeds;
    tremor of the hands; weight loss; pain behind the right eye; ringing in the ears; back pain; itching after bathing;
    muscle weakness; fever; vomiting; trouble sleeping; frequent falls; a painful mouth ulcer; increased thirst
""")
CONDITIONS = phrases("""
    hypertension; type 2 diabetes mellitus; asthma; atrial fibrillation; gout; hypothyroidism; migraine; psoriasis;
    chronic kidney disease; osteoporosis; rheumatoid arthritis; coronary artery disease; epilepsy; glaucoma; anemia;
    ulcerative colitis; sleep apnea; hepatitis C infection; endometriosis; depression; peptic ulcer disease; eczema
""")
DRUGS = phrases("""
    metformin; lisinopril; atorvastatin; levothyroxine; allopurinol; amlodipine; omeprazole; prednisone; warfarin;
    sertraline; albuterol; furosemide; methotrexate; insulin glargine; gabapentin; clopidogrel; lamotrigine; naproxen;
    hydrochlorothiazide; propranolol; digoxin; isoniazid; azathioprine; carbamazepine; spironolactone; tamsulosin
""")
FINDINGS = phrases("""
    a systolic murmur at the left sternal border; bilateral crackles at the lung bases; a firm, mobile neck mass;
    decreased sensation over the lateral thigh; a palpable spleen tip; scleral icterus; absent ankle reflexes;
    tenderness in the right lower quadrant; a wide pulse pressure; dry mucous membranes; a fine resting tremor;
    clubbing of the fingers; pitting edema to the knees; an erythematous throat; a tender, swollen right knee;
    conjunctival pallor; diminished breath sounds on the left; a maculopapular rash on the trunk; nuchal rigidity
""")
DIAGNOSES = phrases("""
    Giant cell arteritis; Aortic dissection; Sarcoidosis; Acute pancreatitis; Pulmonary embolism; Infective
    endocarditis; Addison disease; Myasthenia gravis; Polycythemia vera; Celiac disease; Acute cholecystitis; Multiple
    myeloma; Pheochromocytoma; Viral myocarditis; Nephrotic syndrome; Bacterial meningitis; Thyroid storm; Crohn
    disease; Systemic sclerosis; Acute angle-closure glaucoma; Iron deficiency; Lyme disease; Ovarian torsion; Temporal
    lobe seizure
""")
STEPS = phrases("""
    CT scan of the abdomen; Intravenous ceftriaxone; Lumbar puncture; Synovial fluid analysis; Upper endoscopy;
    Oral prednisone; Echocardiography; Serum ferritin measurement; Exploratory laparotomy; Fluid restriction;
    Thyroid function tests; Bone marrow biopsy; Subcutaneous heparin; Renal ultrasonography; Topical timolol;
    Cardiac catheterization; Referral for physical therapy; Urine culture; Watchful waiting; Needle decompression
""")
MECHANISMS = phrases("""
    Inhibition of dihydrofolate reductase; Blockade of calcium channels; Activation of adenylate cyclase;
    Decreased synthesis of prostaglandins; Increased release of insulin; Antagonism of aldosterone receptors;
    Destruction of parietal cells; Deposition of immune complexes; Demyelination of peripheral nerves;
    Impaired conjugation of bilirubin; Loss of mucosal villi; Hypersecretion of growth hormone;
    Formation of free radicals; Defective repair of mismatched bases; Enhanced lysis of fibrin; Uptake of low-density
    lipoprotein
""")
JOBS = phrases("""
    a farmer; a schoolteacher; a roofer; a bus driver; a software developer; a chef; an electrician; a librarian;
    a welder; a florist; a pilot; a violinist; a bookkeeper; a veterinarian; a dockworker; a tailor; a beekeeper
""")
PLACES = phrases("""
    a coastal village; two university hospitals; a mining town; a rural district; an island population; a large school;
    a northern valley; three suburban clinics; a fishing harbor; a mountain province; an army base; a textile factory
""")
MEASURES = phrases("""
    resting heart rate; bone density; serum sodium; reaction time; reading speed; leaf area; soil acidity; crop yield;
    voter turnout; water temperature; grip strength; household income; enzyme activity; larval survival; tensile
    strength
""")
SYLLABLES = phrases("""
    ba; ce; di; fo; gu; ka; le; mi; no; pu; ra; se; ti; vo; za; bri; cla; dro; fle; gri; pla; stre; tri; vel; mon;
    tar; lin; dex; cor; bel; nu
""")
ENDINGS = ["in", "ol", "ase", "ide", "one", "ium", "ate", "ix", "on", "um", "ine", "ene"]
LEAD_INS = (
    ("Which of the following is the most likely diagnosis?", DIAGNOSES, "Analyze"),
    ("Which of the following best explains these findings?", DIAGNOSES, "Analyze"),
    ("Which of the following is the most appropriate next step in management?", STEPS, "Apply"),
    ("Which of the following is the most appropriate initial treatment?", STEPS, "Apply"),
    (
        "Which of the following is the most likely underlying mechanism of this patient's condition?",
        MECHANISMS,
        "Analyze",
    ),
    ("The drug that was started most likely acts by which of the following mechanisms?", MECHANISMS, "Apply"),
    ("Further evaluation of this patient is most likely to show which of the following?", FINDINGS, "Apply"),
)

CLINICS = phrases("""
    the physician; the emergency department; a rural clinic; the office; the outpatient service; an evening surgery;
    the urgent care center; the hospital; a walk-in clinic; the dispensary
""")
EVENTS = phrases("""
    a trip to the coast; the birth of a child; an operation last spring; the start of the year; a fall on ice;
    moving house; a viral illness; a wedding in the mountains; a change of shift; losing a job; a long flight
""")
HABITS = phrases("""
    does not smoke; drinks two beers on weekends; runs twice a week; keeps cats; has never traveled abroad;
    smokes a pipe; swims every morning; eats no meat; repairs old radios; sleeps five hours a night; sings in a choir
""")
OPENINGS = (
    "{person} comes to {clinic} because of {span} of {symptom0} and {symptom1}.",
    "{person} is brought to {clinic} after {span} of {symptom0}.",
    "For the past {span}, {symptom0} and then {symptom1} have troubled the patient, who is seen at {clinic}.",
    "{person} with known {condition0} presents to {clinic} with {symptom0}, which began {span} ago.",
    "During a routine visit to {clinic}, {person} mentions {symptom0} for {span}.",
)
MIDDLES = (
    (
        "{He} has also had {symptom2} since {event}.",
        "There has been {symptom2} as well, first noticed after {event}.",
        "Soon after {event}, {symptom2} developed.",
    ),
    (
        "{He} has a history of {condition1} and {condition2}, for which {he} takes {drug0} and {drug1}.",
        "Past history is notable for {condition1}; the only medication is {drug0}.",
        "{His} medications are {drug0}, {drug1}, and {drug2}.",
    ),
    ("{He} works as {job} and {habit}.", "{He} {habit}.", "{His} partner, {job}, is well."),
    (
        "{His} temperature is {temperature}°C, pulse is {pulse}/min, and blood pressure is {systolic}/{diastolic} "
        "mm Hg.",
        "Blood pressure is {systolic}/{diastolic} mm Hg with a regular pulse of {pulse}/min.",
        "{He} is afebrile with a heart rate of {pulse}/min.",
    ),
    (
        "Examination shows {finding0} and {finding1}.",
        "On physical examination there is {finding0}.",
        "The examiner notes {finding0}, {finding1}, and {finding2}.",
    ),
    (
        "Serum studies show a {substance} concentration of {level} mg/dL and a leukocyte count of {count}/mm3.",
        "The leukocyte count is {count}/mm3.",
        "A blood film is normal, but {substance} is raised at {level} U/L.",
    ),
)
STUDIES = (
    (
        "Researchers in {place} follow {people} participants for {months} months to learn whether {substance} "
        "changes {first}.",
        "{people} volunteers from {place} are asked about {first} before and after {months} months without {other}.",
        "In a cross-over trial, {substance} and {other} are compared for their effect on {first} and {third}.",
        "A report from {place} links {first} to {substance} in {people} households.",
        "To find out why {first} differs between neighbors, a team measures {substance} in {people} wells near "
        "{place}.",
        "A registry that was begun by {job} holds {people} records of {first} and of exposure to {substance}.",
    ),
    (
        "Half of them receive {other} instead.",
        "Nobody is told which powder is {other}.",
        "Those who move away are replaced by relatives.",
        "{job} keeps the records and knows the groups.",
        "Only adults who can read are enrolled, and {rise}% of them leave early.",
        "The instruments are calibrated once, at the beginning.",
        "Winter and summer are analyzed apart.",
    ),
    (
        "In the first group {first} rises by {rise}%, while {second} stays the same.",
        "After the last visit the difference in {first} is {rise}%, with a wide interval.",
        "No trend in {second} is seen, but {third} falls in the youngest.",
        "The effect vanishes once {second} is taken into account.",
        "Both groups lose {rise} points of {third}.",
        "Among smokers the ratio is turned round.",
    ),
    (
        "Which of the following conclusions about {substance} is best supported by these results?",
        "Which of the following can be concluded about {substance}?",
        "Which of the following would most weaken the claim that is made?",
        "Which of the following errors is most likely in this design?",
        "Which of the following changes would most improve the study?",
    ),
)
"""How it was set up, done and ended, and what is asked: one sentence of each."""
CONCLUSIONS = (
    "It raises {first} in {place}",
    "It lowers {second} through {first}",
    "It acts on {second} more than on {third}",
    "It leaves {first} unchanged in most participants",
    "It delays the effect of {other} by {months} months",
    "It changes {third} only where {other} is absent",
    "It was taken together with {other} by {rise}% of the group",
    "Recall differs between the groups",
    "The sample was too small for {third}",
    "Loss to follow-up hides a fall of {second}",
    "Randomization by household",
    "A second measurement of {first} by {job}",
    "Confounding by {third}",
    "Chance alone",
)
ASIDES = phrases("""
    The pharmacist checks the order twice.; It is a public holiday.; The scale was bought last year.; Rounding is
    allowed.; A colleague has found another value.; The first label is hard to read.; Losses on the way are neglected.;
    The same was asked last week in {place}.; Temperature does not matter.; {job} looks on.; All figures are means.;
    The contract says nothing about tips.; Nothing else changes.; The meter is read at noon.; Prices are those of
    spring.
""")
CALCULATIONS: tuple[tuple[str, str, Callable[[Any, Any, Any, Any], float]], ...] = (
    (
        "A patient who weighs {weight} kg is to receive {dose} mg/kg of {drug} in {times} equal parts. The solution "
        "holds "
        "{strength} mg of {drug} per mL. How many milliliters are given in one day?",
        "mL",
        lambda weight, dose, strength, times: weight * dose / strength,
    ),
    (
        "An infusion of {drug} runs at {dose} mL each hour from a bag of {weight} L. After how long is {times} "
        "tenths of "
        "the bag empty?",
        "hours",
        lambda weight, dose, strength, times: weight * 100 * times / dose,
    ),
    (
        "{job}, on an errand for {place}, drives {weight} km at {dose} km/h and returns {times} times as fast. What "
        "is the "
        "duration of the whole journey?",
        "minutes",
        lambda weight, dose, strength, times: weight / dose * 60 * (1 + 1 / times),
    ),
    (
        "In {place}, {strength} of every 100 wells contain {drug}. If {times} wells are drilled for each of {weight} "
        "thousand people, how many contaminated wells are expected?",
        "wells",
        lambda weight, dose, strength, times: strength * 10 * times * weight,
    ),
    (
        "A tank of {weight} m3 loses {strength} liters a day through a leak and gains {dose} liters from rain. What "
        "is the "
        "change of its contents after {times} weeks?",
        "liters",
        lambda weight, dose, strength, times: (strength + dose) * 7 * times,
    ),
)
"""Stem, unit of the answer, and how the answer is found."""
