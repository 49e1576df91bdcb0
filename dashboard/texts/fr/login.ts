// Texts of the pages before the login, in French.

import type { Translation } from '../texts.ts'

export const login: Translation<typeof import('../en/login.ts').login> = {
  title: 'Se connecter à Postrider',
  email: 'Adresse e-mail',
  password: 'Mot de passe',
  showPassword: 'Afficher le mot de passe',
  code: 'Code',
  codeHint: 'Le code à six chiffres de votre application d’authentification, ou un code de récupération',
  logIn: 'Se connecter',
  or: 'ou',
  passkey: 'Se connecter avec une clé d’accès',
  noPasskey:
    'Aucune clé d’accès n’a été utilisée. Choisissez-en une, ou connectez-vous avec votre mot de passe.',
  playground: 'Ceci est le mode d’essai. Connectez-vous ainsi, sauf si vous avez modifié le mot de passe :',
  fillIn: 'Remplir',
  welcome: 'Bienvenue dans Postrider',
  noUsers:
    'Il n’y a pas encore d’utilisateur. Ouvrez le lien à usage unique du journal du service ; il contient {code}.',
  back: 'Retour à la connexion',
  forgotten: 'Mot de passe oublié ?',
  sendLink: 'Envoyer le lien',
  checkEmail: 'Consultez vos e-mails',
  linkSent:
    'S’il existe un utilisateur avec l’adresse {email}, un lien pour définir un nouveau mot de passe est en route. Il sert une fois et expire après une heure.',
  passwordHint: 'Au moins 10 caractères ; plusieurs mots sans rapport conviennent bien',
  newPassword: 'Nouveau mot de passe',
  chooseNew: 'Choisir un nouveau mot de passe',
  changePassword: 'Changer le mot de passe',
  changed: 'Mot de passe changé',
  changedHint: 'Toutes les sessions sont fermées. Connectez-vous avec le nouveau mot de passe.',
  setUp: 'Configurer Postrider',
  setUpHint:
    'Créez le premier compte. Il administre cette installation et invite tous les autres utilisateurs.',
  setUpOwner:
    'Vous devenez propriétaire du compte {account}, qui exploite cette installation et invite tous les autres utilisateurs.',
  organisation: 'Organisation',
  name: 'Votre nom',
  createAccount: 'Créer le compte',
  createUser: 'Créer l’utilisateur',
  invitation: 'Votre invitation',
  join: 'Rejoindre {account}',
  invitedAs: 'Vous êtes invité en tant que {role}.',
  accept: 'Accepter l’invitation',
  roles: { viewer: 'lecteur', developer: 'développeur', admin: 'administrateur', owner: 'propriétaire' },
}
