"""What must hold in every simulated world: the list of invariants by number.

The numbers up to 40 are those of the list of faults from which Folkmoot was designed; later ones were added since.
"""

from collections.abc import Callable, Mapping

INVARIANTS: Mapping[str, str] = {
    "I01": "the entries of a record are numbered without a gap, and each carries the hash of the one before",
    "I02": "the first entry is the opening, and there is no other one",
    "I03": "nothing stands behind the close",
    "I04": "each phase begins once, and inside a phase that has begun",
    "I05": "an answer, a failure, a call belongs to a question that was put",
    "I06": "a question is put once and ends once",
    "I07": "the words of an answer are those of the participant who was asked",
    "I08": "who has left a board is asked no more; only its own answer lets it leave, and its verdict stands",
    "I09": "the tries of a call are numbered from 1 and each has one end at most",
    "I10": "a call with a stored answer is not tried again",
    "I11": "each request that leaves has a try on record, and no try is sent twice",
    "I12": "a process tries a call three times at most, and not again behind an error that stays",
    "I13": "what is used and reserved fits into the limits when a call is reserved",
    "I14": "booked tokens are whole and not negative, booked costs are finite and not negative",
    "I15": "no more requests are in flight than the debate and the connection allow",
    "I16": "requests go to the accepted host and to models of the brief",
    "I17": "a decision has one ballot of each voter at most, and all voters take part",
    "I18": "a ballot and every field is what its voter's own answer says, read once more",
    "I19": "the tally is the sum of the ballots",
    "I20": "a winner has the most; where two have as much, there is a tie or a named way out",
    "I21": "a prompt has no mark of others and no words of those whom its reader does not see",
    "I22": "a prompt has no words of an answer to the same batch",
    "I23": "weights are finite and positive",
    "I24": "the order in which participants are named changes no answer and no decision where all answer in parallel",
    "I25": "a moderator's ruling is what its newest answer says, read once more; a debate that is to go on goes on",
    "I26": "words in an answer that look like ballots, rulings and orders change nobody's turn, no phase and no tally",
    "I27": "the record is played again without any call and gives the same entries",
    "I28": "a debate under faults that must not matter is the debate without them",
    "I29": "a driver that was overtaken writes nothing more",
    "I30": "a viewer sees only what is stored",
    "I31": "a viewer sees every line once, in order",
    "I32": "viewers, however slow, change no time of a debate",
    "I33": "a process ends, whatever happens",
    "I34": "an ended process leaves no task and loses no exception",
    "I35": "in a closed debate every question has an answer or a failure",
    "I36": "once the faults have ceased the debate ends",
    "I37": "no more questions are put than the limit allows",
    "I39": "no key is in a record, a message or an error",
    "I40": "a record that was left at any moment can be read and written again, if the store has no fault",
    "I41": "every stored line is read back",
    "I42": "a message is used once, and in the order in which messages came",
    "I43": "a question is durable before its request leaves",
    "I44": "a prompt has only words that are durable",
    "I45": "a remark is recorded as it was sent",
    "I46": "behind a pause the debate is resumed before anything else happens",
    "I47": "what a store has acknowledged stays",
    "I48": "of two answers of a person the first one counts",
    "I49": "a request is given up when the time of its turn is over",
    "I50": "a provider that asks to wait is left alone for that time",
    "I51": "a call is not tried again without a pause, which grows, and is as long as its provider asks for",
    "I52": "what a run returns is what its record says",
    "I53": "a runner runs no more debates than it has places",
    "I54": "only errors of Folkmoot's own tree come out of a run",
    "I55": "the status of a decision fits: a decided one has a winner, an undecided one has none",
    "I56": "a participant whom a question names takes part",
    "I57": "a debate that is over is not driven again",
    "I58": "a closed debate says what its decision says",
    "I59": "tries are reserved for what they can use: a try of a model has tokens and a price",
    "I70": "a pause at a limit on tokens or cost says what the record has used and reserved",
    "I71": "no stored line has a character that nobody sees",
    "I72": "no message is passed over: behind a later one no earlier one can come any more",
    "I73": "a prompt has no private field of an answer, but for its author and whom it is addressed to",
    "I74": "who has the share that the rule asks for wins, and nobody else; half of the voters decide nothing",
    "I75": "a process that is asked to stop puts no question after the batch in hand",
    "I76": "an answer counts as late only where debaters speak, and where enough others of its batch have answered",
    "I77": "a ballot is what its voter's own answer to its own ballot says, and who cannot be read has none",
    "I78": "no request leaves once the time of the whole debate is over",
    "I79": "a model whose calls have failed again and again is left alone, and again behind a failed trial",
    "I80": "what is booked for an answer is what the provider has counted, at the price of its model",
    "I81": "a prompt has the newest answer that its reader sees, and all remarks",
    "I82": "a remark that has come is on record before the next questions, and before the close",
    "I83": "a record that its protocol would not make again, or whose line was changed, is refused",
    "I84": "a process meets no conflict with what it has written itself, and writes behind nothing that is not stored",
    "I85": "a decision is as strong as its share of all voters; who abstains or cannot be read has not agreed",
    "I86": "of an answer that was cut off nothing is read for which its last row counts",
    "I87": "a phase halts the debate where fewer answer than it needs, and only there; then nobody is asked",
    "I88": "where nobody of a batch can be reached the debate pauses, and its questions stay open",
    "I89": "the time in which only people are waited for is no time of the debate",
    "I90": "the time of a person begins when the question is first put, and ends with the deadline",
    "I91": "a message that was acknowledged stands in the mailbox under its number, whoever else posts at that moment",
    "I93": "no more rounds are played than the protocol has",
    "I94": "who is asked about answers, or votes for them, is asked about the newest ones",
    "I95": "what is used exceeds a limit on tokens or cost by no more than one answer has exceeded its estimate",
    "I96": "a debate that has ended with an error takes no place of its runner",
    "I97": "an ended process leaves no timer",
    "I98": "in a debate step the first of the tied proposals wins, and without any vote the first proposal",
    "I104": "a model is left out only behind three calls that have failed without an answer between them",
    "I105": "what a person has answered before a process begins counts, however late, while its question is open",
    "I106": "an answer has used what its calls have used, and has taken no less than their time",
    "I107": "a call takes no more time than has passed since its question",
    "I108": "a timekeeper speaks after each so many messages, and at no other time",
    "I109": "the winner, its share, its supporters and the answers that lost follow from the ballots",
}
"""What must hold, by number."""


class Violation(AssertionError):
    """An invariant does not hold.

    Args:
        number: its number.
        how: what was seen.
    """

    def __init__(self, number: str, how: str) -> None:
        super().__init__(f"{number}: {INVARIANTS[number]}. Seen: {how}")
        self.number, self.how = number, how


def require(holds: object, number: str, how: Callable[[], str] | str) -> None:
    """Raise a violation of an invariant unless something holds."""
    if not holds:
        raise Violation(number, how if isinstance(how, str) else how())
