-- Accounts of operators, their invitations and their sessions. Only saldo_operator has access to these tables.

create table directory.operator (
  id bigint generated always as identity primary key,
  -- Letters of other scripts are not allowed, because some look equal to Latin letters.
  name text not null check (name ~ '^[A-Za-z0-9À-ÖØ-öø-ÿ][A-Za-z0-9À-ÖØ-öø-ÿ .''-]{0,79}$'),
  email text check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  role text not null check (role in ('lector', 'cajero', 'supervisor', 'admin')),
  suspended boolean not null default false,
  password_hash text check (password_hash <> ''),
  totp_secret bytea,
  totp_step bigint,
  oidc_issuer text check (oidc_issuer <> ''),
  oidc_subject text check (oidc_subject <> ''),
  token_hash bytea check (length(token_hash) = 32),
  signed_in_at timestamptz,
  created_at timestamptz not null,
  constraint operator_credentials check ((password_hash is null) = (totp_secret is null)),
  constraint operator_oidc check ((oidc_issuer is null) = (oidc_subject is null))
);

-- Two names that differ only in case are the same name.
create unique index operator_name on directory.operator (upper(lower(name collate "pg_unicode_fast")));
create unique index operator_email on directory.operator (lower(email collate "pg_unicode_fast"));
create unique index operator_identity on directory.operator (oidc_issuer, oidc_subject);
create unique index operator_token on directory.operator (token_hash);

comment on table directory.operator is
  'Accounts of operators. An account without password and without identity provider is only invited. '
  'Accounts are never deleted, because the audit log and proposals name them.';
comment on column directory.operator.email is
  'The address by which an identity provider finds the account at the first sign-in. Null: none may.';
comment on column directory.operator.role is 'What the operator may do: lector, cajero, supervisor or admin.';
comment on column directory.operator.suspended is 'Whether the operator may not sign in.';
comment on column directory.operator.password_hash is 'scrypt hash of the password, with its parameters and its salt.';
comment on column directory.operator.totp_secret is 'Secret of the authenticator app, encrypted with the data key.';
comment on column directory.operator.totp_step is
  'The time step of the last code that was used. Codes of this step and of earlier steps are refused.';
comment on column directory.operator.oidc_issuer is 'The identity provider that the account is linked to.';
comment on column directory.operator.oidc_subject is 'Name of the account at the identity provider.';
comment on column directory.operator.token_hash is 'SHA-256 of the token for OPERATOR_TOKEN. Null: no token.';
comment on column directory.operator.signed_in_at is 'The last sign-in. Null: none yet.';

create table directory.operator_invitation (
  token_hash bytea primary key check (length(token_hash) = 32),
  operator_id bigint references directory.operator,
  expires_at timestamptz not null,
  password_hash text check (password_hash <> ''),
  totp_secret bytea,
  constraint operator_invitation_chosen check ((password_hash is null) = (totp_secret is null))
);

-- An account has one invitation at most, and so has the shell.
create unique index operator_invitation_of on directory.operator_invitation (operator_id) nulls not distinct;

comment on table directory.operator_invitation is
  'Links with which an operator chooses credentials, once. '
  'Without operator: the link of a start, which opens the console on a new installation.';
comment on column directory.operator_invitation.token_hash is 'SHA-256 of the token in the link.';
comment on column directory.operator_invitation.password_hash is
  'The chosen password, until the operator confirms the secret of the authenticator app with a code.';
comment on column directory.operator_invitation.totp_secret is 'The new secret of the authenticator app, encrypted.';

create table directory.operator_session (
  token_hash bytea primary key check (length(token_hash) = 32),
  operator_id bigint references directory.operator,
  via text not null check (via in ('console', 'cli')),
  address text,
  created_at timestamptz not null,
  used_at timestamptz not null,
  reauthenticated_at timestamptz not null
);

create index operator_session_of on directory.operator_session (operator_id);

comment on table directory.operator_session is 'Sessions of operators in the console and on the command line.';
comment on column directory.operator_session.token_hash is 'SHA-256 of the token in the cookie or in the file.';
comment on column directory.operator_session.operator_id is
  'The account. Null: the shell of an installation without an admin. Such a session ends with the first admin.';
comment on column directory.operator_session.address is 'From where the operator signed in.';
comment on column directory.operator_session.used_at is 'The last use. A session ends 30 minutes after it.';
comment on column directory.operator_session.reauthenticated_at is
  'When the password was typed last. Changes ask for it again after 10 minutes.';

create table directory.sign_in_attempt (
  id bigint generated always as identity primary key,
  account text not null,
  address text not null,
  at timestamptz not null
);

comment on table directory.sign_in_attempt is
  'Failed sign-ins of the last 15 minutes. They limit further attempts. A sign-in that succeeds deletes its rows.';
comment on column directory.sign_in_attempt.account is 'Keyed hash of the typed name, because it may be a password.';
comment on column directory.sign_in_attempt.address is 'From where the sign-in was tried.';
