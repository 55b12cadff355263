"""Questions with known answers, for evaluations, parted into questions, which prompts may see, and keys.

``data_sets`` reads them from files; ``quantities`` reads numbers in answers.
"""
