// Texts of the pages before the login, in German.

import type { Translation } from '../texts.ts'

export const login: Translation<typeof import('../en/login.ts').login> = {
  title: 'Bei Postrider anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  showPassword: 'Passwort anzeigen',
  code: 'Code',
  codeHint: 'Der sechsstellige Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
  logIn: 'Anmelden',
  or: 'oder',
  passkey: 'Mit einem Passkey anmelden',
  noPasskey:
    'Es wurde kein Passkey verwendet. Wählen Sie einen Passkey, oder melden Sie sich mit Ihrem Passwort an.',
  playground: 'Dies ist der Übungsbetrieb. Melden Sie sich so an, solange das Passwort nicht geändert wurde:',
  fillIn: 'Ausfüllen',
  welcome: 'Willkommen bei Postrider',
  noUsers:
    'Es gibt noch keine Benutzer. Öffnen Sie den einmaligen Link aus dem Protokoll des Dienstes; er enthält {code}.',
  back: 'Zurück zur Anmeldung',
  forgotten: 'Passwort vergessen?',
  sendLink: 'Link senden',
  checkEmail: 'Prüfen Sie Ihre E-Mails',
  linkSent:
    'Wenn es einen Benutzer mit der Adresse {email} gibt, ist ein Link zum Setzen eines neuen Passworts unterwegs. Er gilt einmal und verfällt nach einer Stunde.',
  passwordHint: 'Mindestens 10 Zeichen; gut sind mehrere Wörter ohne Zusammenhang',
  newPassword: 'Neues Passwort',
  chooseNew: 'Neues Passwort wählen',
  changePassword: 'Passwort ändern',
  changed: 'Passwort geändert',
  changedHint: 'Alle Sitzungen sind abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
  setUp: 'Postrider einrichten',
  setUpHint:
    'Legen Sie das erste Konto an. Es betreibt diese Installation und lädt alle weiteren Benutzer ein.',
  setUpOwner:
    'Sie werden Inhaber des Kontos {account}, das diese Installation betreibt und alle weiteren Benutzer einlädt.',
  organisation: 'Organisation',
  name: 'Ihr Name',
  createAccount: 'Konto anlegen',
  createUser: 'Benutzer anlegen',
  invitation: 'Ihre Einladung',
  join: '{account} beitreten',
  invitedAs: 'Sie sind als {role} eingeladen.',
  accept: 'Einladung annehmen',
  roles: { viewer: 'Leser', developer: 'Entwickler', admin: 'Administrator', owner: 'Inhaber' },
}
