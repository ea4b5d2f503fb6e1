-- The server counts the answers of the last hour that contradict what was settled, whichever process wrote them down.
create index audit_event_late on directory.audit_event (at, action)
where action in ('late_success', 'late_refusal', 'late_reversal', 'late_reversal_refusal');
