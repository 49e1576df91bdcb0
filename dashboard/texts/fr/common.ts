// Texts that all pages share, in French.

import type { Translation } from '../texts.ts'

export const common: Translation<typeof import('../en/common.ts').common> = {
  cancel: 'Annuler',
  close: 'Fermer',
  justNow: 'à l’instant',
  loading: 'Chargement',
  tryAgain: 'Réessayer',
  reload: 'Recharger',
  problem: {
    other: 'Une erreur est survenue',
    connectionLost: 'Connexion perdue',
    loginRequired: 'Connexion requise',
    notPermitted: 'Non autorisé',
    notFound: 'Introuvable',
    invalid: 'Vérifiez votre saisie',
    loginFailed: 'Échec de la connexion',
    conflict: 'Impossible pour le moment',
    tooLarge: 'Trop volumineux',
    tooMany: 'Trop de requêtes',
    request: 'Requête {id}',
    unreachable: 'Le service est injoignable. Votre saisie est conservée ; réessayez dans un instant.',
    unexpected: 'Le service a répondu avec le statut {status}. Réessayez dans un instant.',
  },
  connection: {
    lost: 'Connexion à Postrider perdue',
    kept: 'Votre saisie est conservée. La page se reconnecte automatiquement.',
  },
}
