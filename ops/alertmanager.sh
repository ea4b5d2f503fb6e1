#!/bin/sh
# Prints the configuration of Alertmanager, which cannot read variables itself. ops/example.env explains the variables.
set -eu

email_to=${ALERT_EMAIL_TO:-}
webhook_url=${ALERT_WEBHOOK_URL:-}

if [ -z "$email_to$webhook_url" ]; then
  echo "Alerts would not be sent: set ALERT_EMAIL_TO or ALERT_WEBHOOK_URL." >&2
  exit 1
fi
if [ -n "$email_to" ]; then
  email_from=${ALERT_EMAIL_FROM:?"must be set, because ALERT_EMAIL_TO is set"}
  smtp_host=${ALERT_SMTP_HOST:?"must be set, because ALERT_EMAIL_TO is set"}
fi

# Prints a single-quoted YAML string. Only the quote itself has a special meaning in such a string.
quoted() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"
}

cat <<END
route:
  receiver: operator
  group_by: [alertname]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 1h
  routes:
    - matchers: ['severity="ticket"']
      repeat_interval: 1d
receivers:
  - name: operator
END

if [ -n "$email_to" ]; then
  cat <<END
    email_configs:
      - to: $(quoted "$email_to")
        from: $(quoted "$email_from")
        smarthost: $(quoted "$smtp_host")
        auth_username: $(quoted "${ALERT_SMTP_USER:-}")
        auth_password: $(quoted "${ALERT_SMTP_PASSWORD:-}")
        require_tls: $([ "${ALERT_SMTP_TLS:-on}" = off ] && echo false || echo true)
        send_resolved: true
END
fi

if [ -n "$webhook_url" ]; then
  cat <<END
    webhook_configs:
      - url: $(quoted "$webhook_url")
        send_resolved: true
END
  if [ -n "${ALERT_WEBHOOK_TOKEN:-}" ]; then
    cat <<END
        http_config:
          authorization:
            credentials: $(quoted "$ALERT_WEBHOOK_TOKEN")
END
  fi
fi
