// Texts of the page with the requirements of large receivers, in French.

import type { Translation } from '../texts.ts'

export const requirements: Translation<typeof import('../en/requirements.ts').requirements> = {
  title: 'Exigences des destinataires',
  intro:
    'Ce que Gmail, Yahoo et Outlook.com exigent des expéditeurs en masse. Les vérifications DNS sont répétées toutes les heures.',
  back: 'Enregistrements DNS',
  noMail: 'Aucun message distribué pour l’instant.',
  highest: 'Maximum de messages en un jour : {count}, le {day}.',
  threshold: 'À partir de {count} par jour, les exigences pour les expéditeurs en masse s’appliquent.',
  bulkSince: 'Expéditeur en masse depuis le {day}.',
  since: 'depuis {time}',
  ofLimit: '{measured} (limite {limit})',
  met: {
    one_click: 'Chaque message groupé a le champ List-Unsubscribe-Post',
    list_unsubscribe_honoured: 'Personne n’a reçu d’e-mail plus de deux jours après son désabonnement',
    message_format: 'Le service compose ou corrige chaque message',
  },
  noSource: 'Aucune source pour l’instant',
  statuses: { met: 'Satisfaite', not_met: 'Non satisfaite', not_known: 'Inconnue' },
  sources: {
    own: 'D’après vos propres messages',
    dns: 'D’après le DNS',
    report: 'D’après les rapports du destinataire',
    postmaster: 'D’après Google Postmaster Tools',
  },
  of: {
    spf: {
      name: 'SPF',
      remedy:
        'Publiez l’enregistrement Return-Path du domaine. L’exploitant publie l’enregistrement SPF avec toutes les adresses.',
    },
    dkim: {
      name: 'DKIM',
      remedy:
        'Publiez l’enregistrement DKIM affiché sur la page Enregistrements DNS. S’il y est trouvé, la page Authentification et rapports nomme les sources dont les signatures échouent.',
    },
    dmarc: {
      name: 'DMARC',
      remedy: 'Publiez l’enregistrement DMARC affiché sur la page Enregistrements DNS ; p=none suffit.',
    },
    alignment: {
      name: 'Adresse d’expéditeur alignée avec SPF ou DKIM',
      remedy: 'Publiez l’enregistrement DKIM, pour que la signature appartienne au domaine de l’expéditeur.',
    },
    ptr: {
      name: 'DNS inverse des adresses d’envoi',
      remedy:
        'L’exploitant demande au fournisseur de l’adresse un enregistrement PTR qui ramène à cette adresse.',
    },
    tls: {
      name: 'Connexions chiffrées',
      remedy: 'Lisez les dialogues SMTP des messages envoyés sans TLS.',
    },
    complaint_share: {
      name: 'Part des plaintes',
      remedy:
        'N’écrivez qu’aux destinataires qui l’ont accepté, et facilitez le désabonnement. Google Postmaster Tools et les boucles de rétroaction indiquent la part.',
    },
    one_click: {
      name: 'Désabonnement en un clic des envois groupés',
      remedy:
        'Laissez le service ajouter les champs List-Unsubscribe, ou ajoutez vous-même List-Unsubscribe-Post.',
    },
    list_unsubscribe_honoured: {
      name: 'Désabonnements effectifs sous deux jours',
      remedy: 'Ne retirez pas les suppressions des destinataires qui se sont désabonnés.',
    },
    message_format: {
      name: 'Messages au format standard',
      remedy: 'Envoyez des messages avec un seul champ From, Date et Message-ID (RFC 5322).',
    },
    from_header: {
      name: 'Adresse d’expéditeur qui accepte les réponses',
      remedy: 'Donnez au domaine de l’expéditeur un serveur de messagerie (MX) qui accepte les réponses.',
    },
  },
}
