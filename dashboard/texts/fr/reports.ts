// Texts of the page about reports of receivers and the authentication of a domain's mail, in French.

import type { Translation } from '../texts.ts'

export const reports: Translation<typeof import('../en/reports.ts').reports> = {
  title: 'Authentification',
  intro:
    'Qui envoie des e-mails avec le domaine dans l’adresse From, selon les destinataires. Les 30 derniers jours.',
  back: 'Enregistrements DNS',
  upload: 'Téléverser un rapport',
  uploading: 'Le rapport a été lu.',
  duplicate: 'Ce rapport avait déjà été reçu.',
  file: 'Fichier d’un rapport (XML, JSON, gzip, zip ou e-mail)',
  choose: 'Choisir un fichier',
  sources: 'Sources',
  sourcesIntro: 'Les rapports DMARC agrégés comptent les messages selon l’adresse qui les a envoyés.',
  source: 'Source',
  kind: 'Type',
  kinds: {
    ours: 'Ce service',
    forwarded: 'Transféré',
    known: 'Connu',
    unknown: 'Inconnu',
  },
  messages: 'Messages',
  pass: 'DMARC réussi',
  dkim: 'DKIM aligné',
  spf: 'SPF aligné',
  failing: '{mechanism} échoue depuis le {day} pour les e-mails de {addresses}, selon {receivers}.',
  whatToDo: 'Que faire',
  nothing: 'Rien',
  advice: {
    ours_dkim:
      'Comparez les enregistrements DKIM dans le DNS avec ceux que montre la page du domaine, puis vérifiez le domaine.',
    ours_spf:
      'Vérifiez que l’enregistrement Return-Path du domaine mène à ce service, et que l’enregistrement SPF de l’hôte Return-Path contient l’adresse.',
    ours_dmarc:
      'Vérifiez les enregistrements DKIM et Return-Path du domaine ; les destinataires peuvent refuser les e-mails.',
    ours: 'Une partie des e-mails de ce service ne correspond pas à l’adresse From. Vérifiez les enregistrements DKIM et Return-Path du domaine ; les destinataires peuvent refuser les e-mails.',
    known:
      'Configurez DKIM avec votre propre domaine chez {name}, afin que la signature corresponde à l’adresse From.',
    unknown_pass:
      'Les e-mails passent DMARC : un enregistrement de votre domaine autorise donc cette source. Si elle est à vous, marquez-la comme connue ; sinon, retirez l’enregistrement.',
    unknown_fail:
      'Si cette source envoie vos e-mails, marquez-la comme connue et configurez-y DKIM. Sinon, quelqu’un utilise votre domaine : avec la politique DMARC quarantine ou reject, les destinataires peuvent refuser ces e-mails.',
  },
  markKnown: 'Marquer comme connu',
  markUnknown: 'Marquer comme inconnu',
  noSources: 'Pas encore de rapports',
  noSourcesHint:
    'Les destinataires envoient des rapports une fois par jour à l’adresse de l’enregistrement DMARC du domaine.',
  coverage:
    '{receivers} destinataires ont envoyé des rapports ; ils couvrent {share} des e-mails distribués par ce service.',
  coverageUnknown: '{receivers} destinataires ont envoyé des rapports.',
  reports: 'Rapports',
  reportsIntro: 'Rapports DMARC et TLS des destinataires, et plaintes. Les fichiers sont conservés 45 jours.',
  submitter: 'De',
  reportKinds: { dmarc: 'DMARC', tls: 'TLS', arf: 'Plainte', cfbl: 'Plainte' },
  unread: 'En cours de lecture',
  unreadable: 'Illisible',
  authentic: 'Authentique',
  notAuthentic: 'Non prouvé',
  uploaded: 'Téléversé',
  trust: 'Authenticité',
  failed: 'Échecs',
  day: 'Jour',
  received: 'Reçu',
  download: 'Télécharger',
  none: 'Aucun rapport',
}
