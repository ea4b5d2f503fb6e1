-- Who acted, and from where, in the audit log.
alter table directory.audit_event
  add column actor_id bigint,
  add column actor text check (actor <> ''),
  add column via text check (via in ('console', 'cli', 'server')),
  add column address text;

comment on column directory.audit_event.actor_id is
  'The account of the operator. Null: the operator had no account, or the service acted by itself.';
comment on column directory.audit_event.actor is
  'Name of the operator, or "server". Null: recorded by a version that did not store the actor.';
comment on column directory.audit_event.via is
  'How the change was made: in the console, on the command line, or by the service itself.';
comment on column directory.audit_event.address is
  'The address of the browser, or the system login of the command line. Null: unknown.';
