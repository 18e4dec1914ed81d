# Debian slim rather than the smaller Alpine: Node's builds for glibc are the official ones and what the tests run on
# (the builds for musl are unofficial).
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json rolldown.config.js ./
COPY src ./src
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No dependency needs an install script: libsql's binary is inside its packages.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
# `dist` holds the code of all packages but of those that are built for machines. Of the others stay their manifests, which
# scanners read, and their licences.
RUN find node_modules -regextype egrep -type f \( -path '*-musl/*' -o ! -regex '.*/(@?libsql|@neon-rs|detect-libc|@node-rs|@?msgpackr-extract|node-gyp-build-optional-packages)/.*' ! -name package.json ! -iname 'licen[cs]e*' \) -delete

FROM node:24-slim
LABEL org.opencontainers.image.title="edge-exporter" \
      org.opencontainers.image.description="Prometheus exporter for an edge delivery platform" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
# Counters survive the container in this volume; it has to be there, and the user's, before it is mounted over.
RUN mkdir /state && chown node:node /state
VOLUME /state
ENV EDGE_EXPORTER_STATE_DIR=/state
# By number, so that Kubernetes' runAsNonRoot can tell.
USER 1000:1000
EXPOSE 9801
# With TLS or basic auth in the web configuration, or another port, replace it (--health-cmd) or switch it off.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9801/-/healthy').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 itself, handles SIGTERM and starts no children: no init is needed. V8's memory reducer collects
# whenever the process rests, which may hold up a scrape; memory stays the same without it.
ENTRYPOINT ["node", "--no-memory-reducer", "/app/dist/main.js"]
