// Texts of the problems that need action, on the home page, in French.

import type { Translation } from '../texts.ts'

export const concerns: Translation<typeof import('../en/concerns.ts').concerns> = {
  account_suspended: {
    title: 'Le compte est suspendu et ne peut pas envoyer',
    action: 'Adressez-vous à l’opérateur : il en connaît la raison et peut le rétablir.',
  },
  allowance_used_up: {
    title: 'Le quota d’envoi est épuisé',
    action: 'Demandez-en davantage à l’opérateur ; sans quota, l’envoi est refusé.',
  },
  allowance_low: {
    title: 'Le quota d’envoi suffit encore pour {left} destinataires',
    action: 'Demandez-en davantage à l’opérateur ; sans quota, l’envoi est refusé.',
  },
  stored_bytes_high: {
    title: 'Les messages conservés occupent {stored} sur {limit}',
    action: 'Demandez une limite plus élevée à l’opérateur ; les messages qui la dépassent sont refusés.',
  },
  webhook_gone: {
    title: 'Le webhook {webhook} est désactivé : son récepteur a répondu 410 (gone)',
    action: 'Réparez le récepteur, réactivez le webhook et renvoyez ce qu’il a manqué ; ou supprimez-le.',
  },
  webhook_failed: {
    title: 'Le webhook {webhook} est désactivé : toutes les tentatives ont échoué pendant trois jours',
    action: 'Réparez le récepteur, réactivez le webhook et renvoyez ce qu’il a manqué ; ou supprimez-le.',
  },
  credits_used_up: {
    title: 'Les crédits de vérification sont épuisés',
    action: 'Demandez-en davantage à l’opérateur ; sans crédits, la vérification est refusée.',
  },
  credits_low: {
    title: 'Il reste {left} crédits de vérification',
    action: 'Demandez-en davantage à l’opérateur ; sans crédits, la vérification est refusée.',
  },
  incident_replies: {
    title: '{provider} : {share} des tentatives de remise de {domain} échouent',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  incident_hosts: {
    title: 'Autres serveurs : {share} des tentatives de remise de {domain} échouent',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  incident_list_quality: {
    title: '{share} des e-mails de {domain} vont à des adresses qui n’existent pas',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  incident_listing: {
    title: '{code} répertorie {address}',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  incident_alignment: {
    title: '{provider} ne peut pas authentifier les e-mails de {domain}',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  incident_alignment_several: {
    title: 'Plusieurs destinataires ne peuvent pas authentifier les e-mails de {domain}',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  incident_requirement: {
    title: '{domain} ne remplit pas l’exigence {code} de {provider}',
    action: 'Depuis le {since}. L’incident montre sa cause, un exemple et ce qu’il faut faire.',
  },
  domain_flagged: {
    title: 'Des enregistrements DNS requis de {domain} sont absents',
    action: 'Publiez-les de nouveau avant le {until} ; ensuite le domaine ne pourra plus envoyer.',
  },
  domain_closed: {
    title: '{domain} ne peut plus envoyer',
    action:
      'Ses enregistrements DNS ont été absents pendant trois jours. Publiez-les de nouveau et vérifiez le domaine.',
  },
  domain_unverified: {
    title: '{domain} n’est pas encore vérifié',
    action: 'Publiez ses enregistrements DNS et vérifiez-le ; d’ici là, il ne peut pas envoyer.',
  },
  dmarc_missing: {
    title: '{domain} n’a pas d’enregistrement DMARC',
    action:
      'Publiez-en un : les grands fournisseurs peuvent refuser ses messages, et ses flux de diffusion restent fermés.',
  },
  bounce_rate: {
    title: '{share} des distributions terminées de {domain} ont été rejetées au cours des 7 derniers jours',
    action:
      'Examinez les messages rejetés et retirez les mauvaises adresses de vos listes : les fournisseurs bloquent les expéditeurs dont le taux de rejet est élevé.',
  },
  complaint_rate: {
    title:
      '{share} des messages de {domain} aux fournisseurs avec boucle de rétroaction ont été signalés comme spam au cours des 7 derniers jours',
    action:
      'N’envoyez qu’aux destinataires qui ont donné leur accord et facilitez le désabonnement : au-dessus de 0,3 %, les grands fournisseurs bloquent l’expéditeur.',
  },
  held_domain_paused: {
    title: 'Des messages de {domain} sont retenus',
    action: 'Le domaine a été mis en pause le {since}. Ils partiront à sa réactivation.',
  },
  held_domain_paused_by_operator: {
    title: 'Des messages de {domain} sont retenus',
    action: 'L’opérateur a mis le domaine en pause le {since}. Ils partiront à sa réactivation.',
  },
  held_stream_paused: {
    title: 'Des messages de {domain} sont retenus',
    action: 'L’opérateur a mis le flux {value} en pause le {since}. Ils partiront à sa réactivation.',
  },
  held_destination_paused: {
    title: 'Des messages de {domain} sont retenus',
    action: 'L’opérateur a mis la destination {value} en pause le {since}. Ils partiront à sa réactivation.',
  },
  held_restored: {
    title: 'Des messages de {domain} sont retenus',
    action: 'La base a été restaurée le {since}. L’opérateur décide s’ils sont envoyés.',
  },
  queue_stuck: {
    title: 'La file d’attente de {domain} est bloquée',
    action:
      'Des messages sont en retard de plus de 15 minutes. Demandez à l’opérateur d’examiner la file d’attente et la page « État ».',
  },
  clock_ahead: {
    title: 'L’horloge a avancé de {days} jours ; les anciennes données ne sont pas supprimées pour le moment',
    action:
      'Vérifiez NTP et l’horloge de chaque nœud et de la base de données. Une fois l’heure corrigée, la suppression reprend aussitôt. Si l’heure est juste parce que le service était arrêté aussi longtemps, la suppression reprend dans {hours} heures.',
  },
  certificate_expiring: {
    title: 'Le certificat TLS expire le {until}',
    action:
      'Renouvelez-le : les programmes qui remettent des messages refusent un certificat expiré. La page « État » en dit plus.',
  },
  certificate_expired: {
    title: 'Le certificat TLS a expiré le {until}',
    action:
      'Renouvelez-le : les programmes qui remettent des messages refusent un certificat expiré. La page « État » en dit plus.',
  },
  certificate_expiring_kept: {
    title: 'Le certificat TLS expire le {until}',
    action: 'Il n’a pas pu être remplacé : {problem}',
  },
  certificate_expired_kept: {
    title: 'Le certificat TLS a expiré le {until}',
    action: 'Il n’a pas pu être remplacé : {problem}',
  },
}
