// Texts of the mailbox of the playground, in French.

import type { Translation } from '../texts.ts'

export const mailbox: Translation<typeof import('../en/mailbox.ts').mailbox> = {
  title: 'Boîte aux lettres',
  intro:
    'Messages reçus par le serveur de messagerie intégré du mode d’essai. Rien n’a quitté cette machine.',
  live: 'En direct',
  select: 'Sélectionnez un message',
  selectHint: 'Le HTML est affiché dans un cadre isolé : ni scripts, ni contenu distant.',
  notHere: 'Pas de boîte aux lettres en production',
  notHereHint:
    'La boîte aux lettres intégrée fait partie du mode d’essai. En production, les messages sont distribués à leurs destinataires.',
  received: 'Messages reçus',
  newest: 'Les plus récents',
  older: 'Plus anciens',
  search: 'Adresse, objet ou texte',
  hasAttachments: 'Avec pièces jointes',
  none: 'Pas encore de messages',
  noneHint: 'Les messages à n’importe quelle adresse arrivent ici.',
  noneFound: 'Aucun message correspondant',
  noneFoundHint:
    'La recherche porte sur les adresses, les objets et le début du texte, sans tenir compte de la casse ni des accents.',
  all: 'Tous les messages',
  open: 'Ouvrir dans Messages',
  from: 'De',
  to: 'À',
  deliveredTo: 'Distribué à',
  returnPath: 'Return-path',
  receivedAt: 'Reçu',
  connection: 'Connexion',
  notEncrypted: 'Non chiffrée',
  encrypted: 'Chiffrée ({version})',
  size: 'Taille',
  attachments: 'Pièces jointes',
  signaturesPassed: 'DKIM {passed} sur {all}',
  source: 'la source',
  signatures: 'Signatures',
  signaturesHint:
    'Le message reçu, contrôlé avec les clés DKIM qui sont maintenant dans le DNS du mode d’essai (RFC 6376).',
  noSignature: 'Le message n’a pas de signature DKIM.',
  results: { pass: 'Valable', fail: 'Non valable', permerror: 'Inutilisable', temperror: 'Non contrôlée' },
  algorithm: 'Algorithme',
  key: 'Clé',
  covers: 'Couvre',
  body: 'corps',
}
