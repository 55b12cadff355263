"""A debate behind a model name: what OpenAI's chat interface asks for and gets, without HTTP.

Read in this order: ``endpoint_errors`` (errors in OpenAI's shape), ``answer_shape`` (JSON or tool calls that a
caller wants), ``chat_files`` (pictures and PDFs), ``chat_request`` (a body becomes a request),
``chat_brief`` (a request becomes a brief, as data only), ``chat_answer`` (the state of a debate becomes an answer),
``live_words`` (the words of an acting model as they come), ``retries`` (a request that was sent again joins the
first one's debate), ``asked`` (what is stored of a request), ``endpoint`` (a request begins or joins a debate),
``responses_request``, ``responses_answer`` and ``response_stream`` (OpenAI's responses interface), ``conversation`` (a
debate from a file of messages).
"""
