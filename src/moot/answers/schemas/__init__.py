"""JSON Schemas of answers: an answer that has to fit one.

``schema_answer`` says what a prompt asks for, reads the answer and checks it.
"""
