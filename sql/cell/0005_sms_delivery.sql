-- Asks the gateway about the delivery of the messages that it accepted.
alter table sms add column ask_at timestamptz;
alter table sms add constraint sms_ask_at check (ask_at is null or status = 'sent');

create index sms_traced on sms (ask_at) where ask_at is not null;

comment on column sms.status is
  'sent: the gateway accepted the message. failed: the message was not sent, or was not delivered. '
  'unknown: the message may have been sent, so it is not sent again.';
comment on column sms.detail is 'The gateway''s name for the message, or why it was not sent or not delivered.';
comment on column sms.leased_until is
  'When the lease of the current sender, or of the current question about the delivery, ends. '
  'Before that, no other process may send or ask.';
comment on column sms.ask_at is
  'When the gateway is next asked about the delivery. Null: no query is planned.';

alter table insurance add column undelivered int not null default 0 check (undelivered >= 0);
alter table insurance drop constraint insurance_resends_check;
alter table insurance add constraint insurance_resends_check check (resends between 0 and 5 + undelivered);

comment on column insurance.undelivered is
  'Number of messages with a code that were not delivered. Resends that replace them do not count.';
