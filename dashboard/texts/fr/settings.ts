// Texts of the settings of a domain, in French.

import type { Translation } from '../texts.ts'

export const settings: Translation<typeof import('../en/settings.ts').settings> = {
  title: 'Paramètres',
  status: 'Statut',
  records: 'Enregistrements DNS',
  domainId: 'ID du domaine',
  added: 'Ajouté',
  verified: 'Vérifié',
  apiUrl: 'URL de base de l’API',
  credentials: 'Identifiants',
  keys: 'Clés d’API',
  smtp: 'Identifiants SMTP',
  tracking: 'Suivi',
  trackingHint:
    'Les ouvertures et les clics des messages HTML sont enregistrés comme événements. Les flux et les messages peuvent en décider autrement.',
  opens: 'Suivre les ouvertures',
  opensHint:
    'Une image invisible indique qu’un message a été affiché. Beaucoup de logiciels la chargent d’eux-mêmes, ou jamais.',
  clicks: 'Suivre les clics',
  clicksHint: 'Les liens mènent à leur cible en passant par un nom d’hôte de votre domaine.',
  record: 'enregistrement DNS',
  trackingHost: 'l’hôte de suivi',
  recordMissing: 'Rien n’est suivi pour le moment : il manque l’{record} pour {host}.',
  recordNeeded: 'Le suivi exige d’abord l’{record} pour {host}.',
  complaints: 'Plaintes',
  complaintAddress: 'Adresse pour les plaintes',
  complaintAddressHint:
    'Un message signé pour un seul destinataire porte le champ CFBL-Address : même une plainte qui ne renvoie que l’en-tête retrouve son destinataire.',
  inboundTls: 'TLS du courrier entrant',
  inboundTlsHint:
    'Une politique (MTA-STS) demande aux expéditeurs de ne remettre le courrier de vos flux entrants que par une connexion TLS vérifiée. Commencez par un essai, et imposez TLS après deux semaines sans échec dans les rapports TLS.',
  inboundTlsMode: 'Mode',
  modes: { off: 'Désactivé', testing: 'Essai', enforce: 'Imposé', none: 'Retrait' },
  modesMean: {
    off: 'Aucune politique. Le courrier arrive avec ou sans TLS.',
    testing: 'Les expéditeurs remettent le courrier dans tous les cas et signalent les échecs.',
    enforce: 'Les expéditeurs ne remettent le courrier que par une connexion TLS vérifiée.',
    none: 'Les expéditeurs oublient la politique. Désactivez-la après une semaine, ou avant que le courrier n’arrive ailleurs.',
  },
  modeSince: 'Depuis le {time}.',
  policyRecords: 'Les expéditeurs ne trouvent pas encore la politique actuelle : vérifiez les {records}.',
  retention: 'Conservation',
  retentionHint:
    'Durée de conservation des messages de ce domaine, à compter de leur soumission. Les flux peuvent les garder moins longtemps.',
  kept: {
    content_retention_days: {
      name: 'Contenus, en jours',
      about: 'HTML, texte et pièces jointes. Sans eux, un message ne peut pas être renvoyé.',
    },
    transcript_retention_days: {
      name: 'Dialogues SMTP, en jours',
      about: 'Les commandes et les réponses de chaque tentative.',
    },
    record_retention_days: {
      name: 'Messages, en jours',
      about: 'Destinataires, tentatives et événements. Les contenus et les dialogues sont retirés avec eux.',
    },
  },
  asInstallation: '{days} (par défaut)',
  emptyHint:
    'Vide : valeur par défaut de l’installation. Une conservation plus courte supprime définitivement les données plus anciennes.',
  daysOrEmpty: 'De 1 à {most} jours, ou vide.',
  saveRetention: 'Enregistrer la conservation',
  saved: 'Conservation enregistrée. Les données plus anciennes sont supprimées dans les prochaines heures.',
}
