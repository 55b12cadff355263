"""JSON Schemas of answers: an answer that has to fit one, and the schema of a form.

Read in this order: ``bounded_check`` (does a value fit a schema, in a limited number of steps), ``schema_answer`` (what a prompt asks for, and how the answer is read),
``form_schema`` (what a provider is sent with a form).
"""
