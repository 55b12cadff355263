"""Words: by which authors vote, abstain, doubt, quote, announce, take back and rule, in many languages.

``formulas`` (votes and abstentions), ``vote_labels`` (what stands before a name as its label, or in a whole sentence),
``everyday`` (how people say in conversation whom they take), ``phrases`` (what stands around a
statement), ``cues`` (what fourteen languages
say behind one, from ``cues.toml``), ``heads`` (by which letters a cue begins), ``ruling_words`` (what follows a
decision), ``remarks`` (what stands in the place of one and speaks of the debate, from ``remarks.toml``), ``weight``
(whether a sentence speaks of the matter at all, from ``matter.toml``), ``standing`` (whether a sentence treats the
statement as a thing, and says whose or what it is), ``on_matter`` (whether a sentence behind a vote is recognized as
one about what is decided, from ``on_matter.toml``), ``acts`` (whether a sentence shows that it decides, from
``acts.toml``), ``postponement`` (whether it puts a ruling off), ``undone`` (whether what stands around a ruling keeps
it from counting), ``beside_scores`` (whether a row beside scores leaves them as they are).
"""
