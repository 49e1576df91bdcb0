// Texts of the pages before the login.

import type { Texts } from '../texts.ts'

export const login = {
  title: 'Log in to Postrider',
  email: 'Email address',
  password: 'Password',
  showPassword: 'Show the password',
  code: 'Code',
  codeHint: 'The six-digit code from your authenticator app, or a recovery code',
  logIn: 'Log in',
  or: 'or',
  passkey: 'Log in with a passkey',
  noPasskey: 'No passkey was used. Choose a passkey, or log in with your password.',
  welcome: 'Welcome to Postrider',
  noUsers: 'There are no users yet. Open the one-time link in the log of the service; it contains {code}.',
  back: 'Back to login',
  forgotten: 'Forgot your password?',
  sendLink: 'Send the link',
  checkEmail: 'Check your email',
  linkSent:
    'If there is a user with the address {email}, a link to set a new password is on its way. It works once and expires after an hour.',
  passwordHint: 'At least 10 characters; several unrelated words work well',
  newPassword: 'New password',
  chooseNew: 'Choose a new password',
  changePassword: 'Change password',
  changed: 'Password changed',
  changedHint: 'All sessions are logged out. Log in with the new password.',
  setUp: 'Set up Postrider',
  setUpHint: 'Create the first account. It operates this installation and invites all other users.',
  setUpOwner:
    'You become the owner of the account {account}, which operates this installation and invites all other users.',
  organisation: 'Organisation',
  name: 'Your name',
  createAccount: 'Create account',
  createUser: 'Create user',
  invitation: 'Your invitation',
  join: 'Join {account}',
  invitedAs: 'You are invited as {role}.',
  accept: 'Accept invitation',
  roles: { viewer: 'a viewer', developer: 'a developer', admin: 'an admin', owner: 'an owner' },
} as const satisfies Texts
