// Texts of the events of the account, in French.

import type { Translation } from '../texts.ts'

export const accountEvents: Translation<typeof import('../en/account-events.ts').accountEvents> = {
  intro:
    'Changements des domaines, des clés, des limites et des listes de ce compte. Les webhooks transmettent les mêmes événements à vos programmes.',
  title: 'Événements du compte',
  event: 'Événement',
  about: 'Objet',
  time: 'Heure',
  object: 'ID de l’objet',
  none: 'Aucun événement pour le moment',
  noneHint:
    'Un événement apparaît lorsqu’un domaine est vérifié, qu’une clé est créée ou qu’une limite approche.',
  noMatching: 'Aucun événement correspondant',
  noMatchingHint: 'Choisissez un autre événement, ou cherchez l’ID complet d’un objet.',
  used: '{percent} % utilisés',
  left: '{count} restants',
  addresses: { one: '{count} adresse', other: '{count} adresses' },
  types: {
    'domain.verified': 'Domaine vérifié',
    'domain.records_missing': 'Enregistrements d’un domaine absents',
    'domain.closed': 'Domaine fermé',
    'domain.deleted': 'Domaine supprimé',
    'key.created': 'Clé créée',
    'key.rotated': 'Clé renouvelée',
    'key.expiring': 'Clé bientôt expirée',
    'key.revoked': 'Clé révoquée',
    'key.refused_network': 'Clé refusée à cause du réseau',
    'allowance.low': 'Quota d’envoi presque épuisé',
    'allowance.exhausted': 'Quota d’envoi épuisé',
    'credits.low': 'Crédits de vérification presque épuisés',
    'bulk.finished': 'Envoi groupé terminé',
    'verification_list.finished': 'Liste vérifiée',
    'import.finished': 'Importation terminée',
    'suppression.added': 'Adresse bloquée',
    'suppression.removed': 'Adresse débloquée',
    'webhook.failing': 'Webhook en échec',
    'complaints.high': 'Plaintes nombreuses',
    'bounces.high': 'Rebonds nombreux',
    'account.suspended': 'Compte suspendu',
    'account.resumed': 'Compte rétabli',
  },
}
