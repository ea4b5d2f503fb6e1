# The image of the service: Node, the runtime packages, and the TypeScript sources, which need no build. Postgres is not
# included; set DATABASE_URL.

FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# npm looks for every workspace that the lock file names.
COPY facade/client/package.json facade/client/
# The optional packages are Node, Postgres and a compiler. The image does not need them.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# Type declarations and source maps are half of the size of node_modules. Only editors and debuggers use them.
RUN find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete \
  && rm -rf node_modules/effect/src node_modules/typescript node_modules/@types

FROM node:26.10.0-bookworm-slim
# The container is reachable from outside, so the sandbox with its public credentials is off.
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  OPS_HOST=127.0.0.1 \
  OPS_PORT=9464 \
  SANDBOX=off \
  LOG_FORMAT=json
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY core core
COPY adapters adapters
COPY facade facade
COPY sql sql
# The operator's command: docker exec CONTAINER saldo doctor
RUN ln -s /app/facade/cli/main.js /usr/local/bin/saldo
# The files belong to root, so the process cannot change them.
USER node
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Podman and buildah keep this line only with `--format docker`.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "process.env.OPS_PORT === 'off' || fetch(`http://127.0.0.1:${process.env.OPS_PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "--heap-growing-percent=30", "--no-allocation-site-pretenuring", "/app/facade/cli/main.js"]
CMD ["serve"]
