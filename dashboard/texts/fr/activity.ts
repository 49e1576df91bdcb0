// Texts of the activity of all domains and of the log of API requests, in French.

import type { Translation } from '../texts.ts'

export const activity: Translation<typeof import('../en/activity.ts').activity> = {
  title: 'Activité',
  intro: 'Événements des messages de tous les domaines, les plus récents d’abord.',
  events: 'Événements',
  requests: 'Requêtes d’API',
  noMatching: 'Aucun événement correspondant',
  noMatchingHint:
    'Les destinataires se cherchent par l’adresse entière ou son début, les objets par des mots ou leur début, quelle que soit la casse ; les messages par leur ID (msg_…).',
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
    'Requêtes des clés d’API, y compris celles refusées, conservées trois jours. Au-delà de vingt par seconde, certaines sont seulement comptées.',
  noMatchingRequests: 'Aucune requête correspondante',
  noMatchingRequestsHint: 'Les chemins se cherchent par leur début : {example}.',
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
