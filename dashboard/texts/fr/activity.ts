// Texts of the activity of all domains and of the log of API requests, in French.

import type { Translation } from '../texts.ts'

export const activity: Translation<typeof import('../en/activity.ts').activity> = {
  title: 'Activité',
  intro:
    'Ce que sont devenus les messages de tous les domaines, les plus récents d’abord, une fois par destinataire. « Tous les événements » montre aussi les étapes.',
  events: 'Événements',
  requests: 'Requêtes d’API',
  noMatching: 'Aucun événement correspondant',
  noMatchingHint:
    'Cherchez l’adresse d’un destinataire ou son début, des mots de l’objet ou l’ID d’un message (msg_…).',
  none: 'Pas encore d’événements',
  noneHint:
    'Envoyez un message : son acceptation, les tentatives de distribution et leur résultat apparaissent ici en quelques secondes.',
  search: 'Destinataire, objet ou ID du message',
  event: 'Événement',
  outcomesOnly: 'Résultats',
  everyEvent: 'Tous les événements',
  domain: 'Domaine',
  recipient: 'Destinataire',
  noSubject: '(sans objet)',
  time: 'Heure',
  narrowed: {
    stream: 'Flux : {value}',
    tag: 'Étiquette : {value}',
    provider: 'Fournisseur : {value}',
    category: 'Cause : {value}',
    counted: 'Chaque destinataire une fois',
    after: 'À partir du {value}',
    before: 'Jusqu’au {value}',
    code: 'Code : {value}',
  },
  requestsIntro:
    'Les requêtes faites avec des clés d’API, même refusées, sont conservées trois jours. Au-delà de vingt par seconde, certaines sont seulement comptées.',
  noMatchingRequests: 'Aucune requête correspondante',
  noMatchingRequestsHint: 'Saisissez un chemin depuis son début, par exemple {example}.',
  noRequests: 'Pas encore de requêtes',
  noRequestsHint:
    'Les requêtes faites avec une clé API apparaissent ici en quelques secondes, avec les champs qui ont causé leur refus. Ni les paramètres, ni les corps, ni les valeurs ne sont enregistrés.',
  outcomes: { answered: 'Répondue (moins de 400)', refused: 'Refusée (4xx)', failed: 'Échouée (5xx)' },
  path: 'Chemin',
  outcome: 'Résultat',
  method: 'Méthode',
  key: 'Clé d’API',
  request: 'Requête',
  answer: 'Réponse',
  duration: 'Durée',
  missed: { one: '{count} autre requête, non listée', other: '{count} autres requêtes, non listées' },
  missedHint: 'Le journal liste quelques requêtes d’une même seconde et compte les autres.',
  toMessage: 'Afficher le message',
  moreProblems: { one: '{count} autre problème', other: '{count} autres problèmes' },
  revoked: '{name}, révoquée',
  withCode: 'Requêtes avec le code {code}',
}
