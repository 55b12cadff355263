"""Protocols that measurements ask for: each is cheaper than a debate, or asks for one only where it may pay.

Read in this order: ``gate`` (also ``panel``, the default: alone first, a round only where answers differ),
``independent`` (one answer, or several that are counted), ``critic`` (one answer, a critic, a judge who checks),
``selection`` (a judge picks one of several), ``forecast`` (probabilities or numbers, pooled by their mean),
``findings`` (a review: each finding is checked alone).
"""
