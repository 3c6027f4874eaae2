"""What the name of a column says about it. Words of several languages, matched token by token, never part of a word
by accident: 'UTILITYID' and 'patient_nbr' speak of an id, 'paid' and 'medicaid' do not.

A `Concept` is a set of spellings (`*` stands for the rest of a token, `_` for the border of two tokens) and the words
in which a reason names it. `infer` asks; nothing here looks at data.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HEAD = re.compile(r"_(?:at|of|in|by|per|since|before|after|from|de|du|des|del|von|bei)_")
_FOLDED = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"})


@lru_cache(maxsize=4096)
def tokens_of(name: str) -> str:
    """A name as lower-case tokens between underscores: accents folded, camel case split, final digits dropped.

    >>> tokens_of("patientID2"), tokens_of("Número de teléfono"), tokens_of("diag_1")
    ('_patient_id_', '_numero_de_telefono_', '_diag_1_')
    """
    plain = unicodedata.normalize("NFKD", _CAMEL.sub("_", name).lower().translate(_FOLDED))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    tokens = (re.sub(r"(?<=[a-z])\d+$", "", token) for token in re.split(r"[^a-z0-9]+", plain))
    return "_" + "".join(f"{token}_" for token in tokens if token)


@dataclass(frozen=True)
class Concept:
    """Spellings of one idea, and how a reason names it.

    >>> Concept("the age", "age agegr*").is_in("AGEGROUP"), Concept("the age", "age").is_in("wage")
    (True, False)
    """

    says: str
    spellings: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        parts = "|".join(re.escape(s).replace(r"\*", "[a-z0-9]*") for s in self.spellings.split())
        return re.compile(f"_(?:{parts})(?=_)")

    def place_in(self, tokens: str) -> int:
        """Where the last spelling found in the tokens starts, -1 for nowhere."""
        return max((match.start() for match in self.pattern.finditer(tokens)), default=-1)

    def is_in(self, name: str) -> bool:
        return self.pattern.search(tokens_of(name)) is not None

    def ends(self, name: str) -> bool:
        """True where the name closes with a spelling: 'household' and 'ori_hid', but not 'household_size'."""
        return re.search(f"{self.pattern.pattern}_$", tokens_of(name)) is not None


# -- direct identifiers ----------------------------------------------------------------------------------------

DIRECT = (
    Concept(
        "a person's name",
        "surname forename firstname lastname middlename fullname maidenname nickname firstnames first_name "
        "last_name middle_name family_name given_name full_name maiden_name patient_name person_name vorname "
        "nachname familienname nombre nombres apellido apellidos nom prenom cognome nome sobrenome naam voornaam "
        "achternaam imie nazwisko namn fornamn efternamn fornavn etternavn efternavn etunimi sukunimi",
    ),
    Concept("an e-mail address", "email emails e_mail mail_address mailadresse correo courriel emailaddress"),
    Concept(
        "a telephone number",
        "phone phones phonenumber tel telephone telefon telefono telefone mobile mobil movil handy cellphone "
        "cell_phone fax telnr phoneno rufnummer",
    ),
    Concept(
        "a national or social number",
        "ssn sin_number social_security_number social_security_no sozialversicherungs* svnr ahv* nin nino nhs "
        "nhs_number nhsno national_id nationalid national_insurance* national_number passport* reisepass dni nif "
        "nie curp cpf cnpj pesel bsn aadhaar codice_fiscale personnummer personnr cpr fodselsnummer hetu "
        "taxpayer_id tax_id steuernummer ausweis* cedula rut",
    ),
    Concept(
        "a bank account or card",
        "iban account_no account_nr account_number account_num acct_no acct_number acctno kontonummer bank_account "
        "card credit_card creditcard card_number cardnumber kreditkarte ccnum cc_number",
    ),
    Concept(
        "a postal address",
        "address addr adress adresse anschrift direccion domicilio indirizzo endereco street streetname strasse "
        "street_name rue calle house_number housenumber house_no hausnummer",
    ),
    Concept("an internet address or account", "ip ip_address ipaddress ip_addr url website homepage username "
            "user_name login screen_name twitter facebook instagram linkedin mac_address imei"),
    Concept(
        "a licence or a vehicle",
        "license licence license_number licence_number driver_license driving_licence license_plate licence_plate "
        "number_plate plate_number plate_no kennzeichen vin",
    ),
    Concept("a medical record number", "mrn medical_record_number medical_record_no medical_record krankenakte"),
    Concept("a picture, a signature or a fingerprint", "photo picture portrait signature fingerprint"),
)  # fmt: skip
NOT_DIRECT = Concept(
    "a property of it",
    "has is type kind class category group status flag count num n consent optin valid verified missing length "
    "score domain change changed quality city town state region country county zip* postal* postcode provider "
    "operator brand expiry use used usage owner ownership",
)
PERSONAL_NAME = Concept("a person's or a firm's name", "name names *name")
NAME_OF_THING = Concept(
    "a name of something else",
    "file* path* host* table* column* variable* var* field* type* class* product* item* drug* medic* brand* "
    "country* state* city* region* county* district* town* village* province* disease* species* test* course* "
    "category* group* program* gene model* event* industry* occupation* month* day* procedure* plan* payer* "
    "insur* language* race* status* rename* dataset* data* sheet* page* code* label* measure* indicator* team*",
)
NAME_OF_PLACE = Concept(
    "an institution",
    "hospital* clinic* school* university* college* facility* provider* employer* department* ward* institut* bank*",
)
BIRTH_DAY = Concept(
    "a date of birth",
    "dob birth_date birthdate birthday birth_day birth_dt birthdt* birthdat* bdate bday b_day b_date date_of_birth "
    "dateofbirth birthdte brthd* brth_d* geb geb_d* gebdat* gebdt* geburtsdatum geburtsdat geburtstag geb_tag "
    "fecha_nac* fechanac* fecha_de_nac* fec_nac* fecnac* fnac date_naissance date_de_naissance datenais* dat_nais* "
    "datnais* datn ddn data_nasc* datanasc* dt_nasc* dtnasc* data_di_nascita datanascita data_nascita geboortedatum "
    "fodselsdato fodelsedatum syntymaaika data_urodzenia dataur*",
)
BIRTH = Concept(
    "a date of birth", f"{BIRTH_DAY.spellings} birth born geburt nacimiento naissance nascita nasc*"
)

PERSON = Concept(
    "a person or a firm",
    "person persons patient patients client clients customer customers contact contacts respondent participant member "
    "subject insured policyholder holder owner doctor physician surgeon nurse therapist caseworker employee worker "
    "student pupil teacher applicant candidate borrower debtor tenant landlord guest user author witness victim "
    "defendant plaintiff spouse partner mother father guardian relative next_of_kin supervisor payee vendor "
    "supplier sender recipient kunde kundin patientin arzt versicherter mitarbeiter schueler cliente paciente medecin",
)
COORDINATE = Concept(
    "a coordinate",
    "lat latitude lon lng long longitude latitud longitud breitengrad laengengrad rechtswert hochwert "
    "x_coord* y_coord* xcoord* ycoord* coord* geo_x geo_y geo_lat geo_lon gps* easting northing x_utm y_utm utm*",
)

# -- numbers of records ----------------------------------------------------------------------------------------

ID_MARK = Concept("an id", "id ids uuid guid identifier nbr nr no number num ident nummer numero kennung")
_COUNT_FIRST = re.compile(r"^_(?:num|number|no|nr|nbr|n|nb|count|cnt|anzahl|numero|nombre|numer)_")
_COUNTED = re.compile(r"_(?:visits|children|days|months|hours|years|persons|rooms|educ[a-z]*|grade|level)_")
RECORD_WORD = Concept(
    "a record",
    "key record* rec case caseno casenr patient patientid encounter person subject respondent resp participant member "
    "customer client serial* seq* rowid rownames row index idx lfdnr lfd_nr laufnr unnamed unnamed_* pat_id pid uid "
    "ticket invoice transaction number num no nr nbr id ids",
)
_ID_BY_ACCIDENT = re.compile(
    r"_(?:.*(?:paid|acid|covid|ucaid|icaid|aid|bid|grid|hybrid|fluid|solid|valid|thyroid|steroid|rapid|said|mid|kid|lipid"
    r"|void|humid|avoid|rigid|android|euclid|amid|squid|stupid|opioid|haploid|asteroid|pyramid|plaid|madrid|raid"
    r"|suicid|candid|carotid|sarcoid|typhoid|arachnoid|opid|sid))_$"
)
COARSE = Concept(
    "a class of records",
    "region state country county city district province type category class group kind status source disposition level "
    "gender sex race specialty department language religion occupation industry marital education product currency",
)
CLUSTER = Concept(
    "the household or sampling cluster",
    "hid hhid hh_id household householdid household_id household_no household_nr household_number hhnr famid "
    "family_id dwelling_id psu ssu cluster cluster_id clusterid enumeration_area haushalt haushaltsnr hogar foyer "
    "menage sdmvpsu",
)
STRATUM = Concept(
    "the sampling stratum", "stratum strata stratid strat stratum_id sdmvstra vstrat schicht *stratum"
)

# -- weights, best name first ----------------------------------------------------------------------------------

WEIGHTS = (
    Concept(
        "a sampling weight",
        "sampling_weight sampling_weights sample_weight survey_weight design_weight final_weight analysis_weight "
        "*fnlwgt pweight person_weight person_weights pwgt perwt pwgtp weighting expansion_factor grossing_factor "
        "inflation_factor factor_expansion hochrechnungsfaktor ponderation gewichtung *weightvar",
    ),
    Concept(
        "a sampling weight",
        "wgt *wgt wgts weights wts household_weight household_weights hhweight hhwt *wgtp repwt*",
    ),
    Concept("a weight", "weight wt w"),
)
BODY = Concept(
    "a body measure", "height bmi mass stature waist groesse koerpergroesse taille talla body_mass_index"
)
BODY_WEIGHT = Concept(
    "a weight of a body or a thing",
    "birth* body* baby* dry kg kilo* lb lbs pound* gram* loss gain net gross change vehicle package item ideal",
)

# -- codes, categories and quantities --------------------------------------------------------------------------

PLACE_CODE = Concept(
    "a place ('zip', 'postcode', 'fips')",
    "zip zip* plz postal* postcode post_code postleitzahl codigo_postal fips *fips nuts nuts* tract "
    "census_tract block_group lau puma geoid geo_id *_code_insee insee",
)
DIAGNOSIS_CODE = Concept("a diagnosis ('diag', 'icd')", "diag diag* dx dx* icd icd* drg *_drg")
CODE = Concept(
    "a code",
    "code codes *code cd isco* nace* naics* sic isic* soc soc_code kldb* cpt hcpcs atc ndc isced* loinc snomed* ccs",
)
COMMON_SCALES = Concept(
    "codes of a classification", "isco* nace* naics* isic* icd* nuts* isced* sic soc naf cpa"
)
CATEGORY = Concept(
    "a category",
    "sex gender geschlecht sexo sexe race ethn* etni* hispan* marit* marst* civil* *civil occup* occu* profession "
    "*prof workclass work_class nation* citizen* native* country state county region province district municip* "
    "canton commune gemeinde kreis bundesland departement city town village relig* confession lang language* "
    "relation* relat industr* branch* type kind category class group status species department specialty sector "
    "disposition source party color colour urbrur insur* payer* payor*",
)
ORDERED = Concept(
    "a step of a scale ('month', 'level', 'score')",
    "month mon monat mes mois quarter weekday day_of_week dow grade *grade level *level rank ranking score "
    "*score stage likert rating severity priority tier decile quintile quartile band bracket satisf* step",
)
EDUCATION = Concept("education", "educ educ* edu edulevel bildung* isced* degree")
QUANTITY = Concept(
    "a quantity or a count",
    "n count counts cnt nb anzahl visits *visits children nchild* nkids kids child days *days months weeks "
    "hours *hours minutes seconds years age ages alter edad length size *size los stay stays duration *dur "
    "dist distance height weight *weight bmi mass rate ratio percent* pct share total tot* sum avg mean quantity "
    "qty min max temp* pressure dose mileage members friends procedures medications cigarettes time stock "
    "volume area speed rooms persons people employees staff *costs",
)
MONEY = Concept(
    "money",
    "income* *income *inc einkommen ingreso* revenu* salar* wage* *wages lohn earn* tax* *tax steuer "
    "revenue* *revenue sales *sales turnover umsatz amount* amt *amt cost* *cost *costs charge* price* preis "
    "expens* expend* ausgaben saving* debt* asset* *assets profit* loan* credit* balance capital* wealth money "
    "payment* pay paid benefit* fee fees bonus agi fica *val value* *contrb contrib* premium* deprec* treasury "
    "funds outcome dividend* pension* rent mortgage* budget spending",
)
YEAR = Concept("a year", "year *year yr yob jahr ano annee anno")

# -- roles: the concept that stands last in the head of the name wins -------------------------------------------

QUASI = (
    Concept(
        "age",
        "age ages agegr* agegroup age_group ageyoung ageold alter altersgruppe edad idade eta yob birth* "
        "born geburt* nacimiento naissance year_of_birth birth_year",
    ),
    Concept("sex or gender", "sex gender geschlecht sexo sexe"),
    Concept(
        "origin",
        "race ethn* etni* hispan* afam black white nation* citizen* native* foreign* immigr* migrant*",
    ),
    Concept(
        "where someone lives",
        f"{PLACE_CODE.spellings} region state county country province canton district municip* city town village "
        "commune gemeinde kreis bundesland departement voivod* urban rural urbrur residence location place "
        "placesize lat latitude lon lng longitude neighb* geo* area_code pais provincia comune comunidad",
    ),
    Concept(
        "the family",
        "marit* marst* married maried civil* *civil spouse relation* relat children nchild* kids numyoung numold "
        "family* household hh hhsize hh_size divorced widow* *marr familienstand estado_civil",
    ),
    Concept("education", "educ* edu* school* degree diploma bildung* isced*"),
    Concept(
        "work",
        "occup* occu* *occu job* *job* profession* *prof work workclass employ* unemploy* poslab* isco* industr* "
        "nace* naics* labour labor beruf* veteran military sector",
    ),
    Concept(
        "language or religion",
        "lang *lang language* mother_tongue sprache relig* confession faith konfession",
    ),
    Concept("insurance", "insur* privins payer* payor* medicare medicaid krankenkasse coverage"),
    Concept("a stay or visit", "admission* admit* adm discharge* encounter* hospital* ward specialty"),
    Concept("a date or time", "date *date month year *year quarter day week weekday datum fecha period"),
    Concept("the body's looks", "height weight hair eye* stature groesse disab* handicap*"),
    Concept("housing", "housing tenure dwelling* roof walls rooms house"),
)
CONFIDENTIAL = (
    MONEY,
    Concept(
        "health",
        "diag* dx disease* illness* sick hiv aids cancer* tumor* tumour* health* chronic* mental psych* depress* "
        "symptom* pregnan* abort* diabet* cholesterol glucose glu serum a1c* blood* pressure insulin* bmi "
        "medication* drug* therap* treatment* surg* icd* allerg* infect* death* mortal* suicid* "
        "thyroid* goit* lithium severity krank*",
    ),
    Concept("a result", "result* *result score* *score test* lab grade* mark marks gpa rating"),
    Concept("conduct or opinion", "alc* smok* *cig* crime* convict* arrest* vote* party polit* sexual* trust* opinion"),
)  # fmt: skip

Tendency = Literal["quasi", "confidential"]


def tendency_of(name: str) -> tuple[Tendency, str] | None:
    """What the name makes of a column, and the idea it was recognised by.

    >>> tendency_of("age_at_diagnosis"), tendency_of("TAXINC"), tendency_of("v01")
    (('quasi', 'age'), ('confidential', 'money'), None)
    """
    tokens = tokens_of(name)
    head = _HEAD.split(tokens)[0].rstrip("_") + "_"
    return _last_concept(head) or _last_concept(tokens.partition("_per_")[0] + "_")


def _last_concept(tokens: str) -> tuple[Tendency, str] | None:
    sides: tuple[tuple[Tendency, tuple[Concept, ...]], ...] = (
        ("confidential", CONFIDENTIAL),
        ("quasi", QUASI),
    )
    found = [(c.place_in(tokens), side, c.says) for side, concepts in sides for c in concepts]
    place, side, says = max(found, key=lambda entry: entry[0])
    return (side, says) if place >= 0 else None


def direct_identifier(name: str) -> str | None:
    """The direct identifier that a name speaks of; None where it speaks of none, or of a property of one.

    >>> direct_identifier("e-mail"), direct_identifier("phone_type"), direct_identifier("UTILNAME")
    ('an e-mail address', None, "a person's or a firm's name")
    """
    if counts(name) or NOT_DIRECT.is_in(name):
        return None
    for concept in DIRECT:
        if concept.is_in(name):
            return concept.says
    if PERSONAL_NAME.is_in(name) and not (NAME_OF_THING.is_in(name) or NAME_OF_PLACE.is_in(name)):
        return PERSONAL_NAME.says
    return None


def counts(name: str) -> bool:
    """True for a name that counts things: number_of_visits, n_children, numProcedures.

    >>> counts("num_lab_procedures"), counts("patient_number"), counts("n")
    (True, False, False)
    """
    return _COUNT_FIRST.match(tokens_of(name)) is not None and tokens_of(name).count("_") > 2


def is_quantity(name: str) -> bool:
    """True for names of amounts and counts: these are numbers also where few of them differ.

    >>> is_quantity("NUMYOUNG"), is_quantity("faminc"), is_quantity("education_num")
    (True, True, False)
    """
    return QUANTITY.is_in(name) or MONEY.is_in(name) or tokens_of(name).startswith(("_num", "_nb_"))


def numbers_records(name: str) -> bool:
    """True for names under which all-different values say which record it is: case, index, number, patient.

    >>> [numbers_records(name) for name in ("case", "Unnamed: 0", "customer_income", "price_index")]
    [True, True, False, False]
    """
    return RECORD_WORD.ends(name) and not is_quantity(name) and not counts(name)


def names_an_id(name: str) -> bool:
    """True for a name that ends in an id: patient_nbr, UTILITYID; not paid, not number_of_visits.

    >>> [names_an_id(name) for name in ("patient_nbr", "UTILITYID", "medicaid", "number_inpatient", "number")]
    [True, True, False, False, False]
    """
    tokens = tokens_of(name)
    if counts(name):
        return False
    last = tokens.rstrip("_").rpartition("_")[2]
    if tokens == f"_{last}_":
        exact = last in ("id", "ids", "uuid", "guid", "identifier")
        return exact or (len(last) > 3 and last.endswith("id") and not _ID_BY_ACCIDENT.match(tokens))
    return ID_MARK.pattern.match(f"_{last}_") is not None and not _COUNTED.search(tokens)
