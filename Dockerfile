# The service as an image: Node, the packages that run, and the TypeScript as it stands. There is nothing to build, and no
# Postgres in it: DATABASE_URL says where that is.

FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The optional ones are a Node, a Postgres and a compiler for machines that have none.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# Types and maps serve editors; half of the size is theirs.
RUN find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete \
  && rm -rf node_modules/effect/src node_modules/typescript node_modules/@types

FROM node:26.10.0-bookworm-slim
# Others can reach it from the first moment on, so nobody has credentials that everybody knows.
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
# The operator's command line: docker exec CONTAINER saldo doctor
RUN ln -s /app/facade/cli/main.ts /usr/local/bin/saldo
# Nobody can change what runs: the files are root's.
USER node
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "process.env.OPS_PORT === 'off' || fetch(`http://127.0.0.1:${process.env.OPS_PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/facade/cli/main.ts"]
CMD ["serve"]
