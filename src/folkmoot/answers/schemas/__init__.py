"""JSON Schemas of answers: an answer that has to fit one, and the schema of a form.

Read in this order: ``schema_parts`` (that a schema has all its parts and an end), ``schema_answer`` (what a prompt asks
for, how the answer is read and checked), ``form_schema`` (what a provider is sent with a form).
"""
