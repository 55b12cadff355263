"""Questions with known answers, for evaluations: parted into questions, which prompts may see, and keys.

Read in this order: ``data_sets`` (questions and keys), ``quantities`` (numbers in answers), ``question_files`` (which
files they are read from).
"""
