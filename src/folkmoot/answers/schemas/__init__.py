"""JSON Schemas of answers: the schema of a form (``form_schema``), and an answer that has to fit one."""
