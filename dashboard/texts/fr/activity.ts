// Texts of the activity of all domains and of the log of API requests, in French.

import type { Translation } from '../texts.ts'

export const activity: Translation<typeof import('../en/activity.ts').activity> = {
  title: 'Activité',
  intro: 'Événements des messages de tous les domaines, les plus récents d’abord.',
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
    'Les requêtes faites avec une clé d’API apparaissent ici en quelques secondes, avec le motif d’un refus. Paramètres, contenus et adresses ne sont pas enregistrés.',
  outcomes: { answered: 'Répondue (moins de 400)', refused: 'Refusée (4xx)', failed: 'Échouée (5xx)' },
  path: 'Chemin',
  outcome: 'Résultat',
  method: 'Méthode',
  key: 'Clé d’API',
  request: 'Requête',
  answer: 'Réponse',
  duration: 'Durée',
  andMore: 'et {count} autres',
  revoked: '{name}, révoquée',
  withCode: 'Requêtes avec le code {code}',
}
