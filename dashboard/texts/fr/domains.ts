// Texts of the sending domains and their DNS records, in French.

import type { Translation } from '../texts.ts'

export const domains: Translation<typeof import('../en/domains.ts').domains> = {
  title: 'Domaines',
  intro: 'Domaines d’envoi. Chacun a ses propres clés d’API, modèles, flux et messages.',
  domain: 'Domaine',
  status: 'État',
  lastChecked: 'Dernière vérification',
  never: 'Jamais',
  added: 'Ajouté',
  sent: 'Envoyés en 30 jours',
  bounced: '{share} rejetés',
  empty: 'Aucun domaine pour l’instant',
  emptyHint: 'Ajoutez le domaine depuis lequel vous envoyez et publiez ses enregistrements DNS.',
  adminAdds: 'Un administrateur du compte peut ajouter un domaine.',
  recordsMissing: 'Enregistrements manquants',
  add: 'Ajouter un domaine',
  addAction: 'Ajouter',
  addHint:
    'La partie après le @ dans vos adresses d’expédition. Un sous-domaine comme mail.example.com a sa propre réputation.',
  willAdd: '{domain} sera ajouté.',
  wwwHint: '{domain} est le nom d’un site web ; les e-mails partent le plus souvent de {offered}.',
  useInstead: 'Utiliser {domain}',
  cannotSend: {
    paused: '{domain} ne peut pas envoyer tant qu’il est en pause',
    pending: '{domain} ne peut pas encore envoyer',
    pausedHint: 'Les requêtes sont refusées avec domain_not_verified. Réactivez-le dans les {settings}.',
    settings: 'paramètres',
    pendingHint:
      'Les requêtes sont refusées avec domain_not_verified jusqu’à ce que ses {records} soient trouvés.',
    records: 'enregistrements DNS',
    missing: {
      one: '{count} enregistrement obligatoire manque.',
      other: '{count} enregistrements obligatoires manquent.',
    },
  },
  dns: {
    title: 'Enregistrements DNS',
    titleOf: 'Enregistrements DNS de {domain}',
    verify: 'Vérifier maintenant',
    looking: 'Recherche des enregistrements',
    found: '{found} enregistrements trouvés sur {all}',
    foundChecked: '{found} enregistrements trouvés sur {all}, vérifiés {time}.',
    next: 'Prochaine vérification dans {seconds} s.',
    whileOpen: 'Tant que cette page est ouverte, les enregistrements sont vérifiés toutes les 15 secondes.',
    daily: 'Les enregistrements sont vérifiés chaque jour.',
    authentication: 'Authentification et rapports',
    requirements: 'Exigences des destinataires',
    createKey: 'Créer une clé d’API',
    flagged: 'Des enregistrements obligatoires manquent',
    flaggedHint:
      'Ils manquent depuis {time}. Publiez-les de nouveau : trois jours après, le domaine cesse d’envoyer.',
    ofMailboxes: '{domain} appartient à un fournisseur de messagerie',
    ofMailboxesHint:
      'Seul le fournisseur peut publier ces enregistrements. Ajoutez un domaine dont vous gérez le DNS et utilisez-le dans vos adresses d’expédition.',
    claim: 'Ce domaine appartient à un autre compte',
    claimHint: 'Publiez cet enregistrement pour prouver que le domaine est à vous.',
    claimLabel: 'Enregistrement de propriété',
    publish:
      'Publiez ces enregistrements chez votre fournisseur DNS. Le domaine peut envoyer dès que les enregistrements obligatoires sont trouvés.',
    keep: 'Ces enregistrements doivent rester publiés chez votre fournisseur DNS.',
    names: 'Noms des enregistrements',
    shortNames: 'Noms courts',
    fullNames: 'Noms complets',
  },
  hosting: {
    dnsOf: 'DNS de {zone}',
    dnsAt: 'Le DNS de {zone} est chez {provider}',
    servers: 'Serveurs de noms : {servers}',
    open: 'Ouvrir {provider}',
    connect: 'Publier les enregistrements chez {provider}',
    connectHint:
      '{provider} montre les enregistrements et les publie quand vous acceptez ; rien n’est à copier.',
  },
  share: {
    action: 'Partager',
    title: 'Partager ces enregistrements',
    hint: 'Envoyez ce lien à la personne qui gère le DNS de {domain}. Il montre les enregistrements et leur état, ne demande pas de connexion et ne mène nulle part ailleurs.',
    expires: 'Expire {time}.',
    done: 'Terminé',
  },
  shared: {
    verified: '{domain} est vérifié : les enregistrements obligatoires sont en place.',
    publish: 'Publiez ces enregistrements dans le DNS de {domain}, pour pouvoir envoyer depuis ce domaine.',
    lastChecked: 'Dernière vérification {time}.',
    records: 'Enregistrements',
    copyZone: 'Copier comme fichier de zone',
    downloadZone: 'Télécharger le fichier de zone',
    linkExpires: 'Ce lien expire {time}.',
  },
  zone: {
    title: 'Fichier de zone',
    hint: 'Pour les fournisseurs DNS qui importent des fichiers de zone, et pour vos propres serveurs de noms.',
    theFile: 'le fichier de zone',
    copy: 'Copier',
    download: 'Télécharger',
    hide: 'Masquer',
    show: 'Afficher',
  },
  records: {
    columns: { record: 'Enregistrement', type: 'Type', name: 'Nom', value: 'Valeur', status: 'État' },
    optional: 'Facultatif',
    recommended: 'Recommandé',
    takesAllMail:
      'Retire tout le courrier de {domain} à son hôte actuel. Un hôte à part, tel que in.{domain}, ne le fait pas.',
    nameOf: 'le nom de {record}',
    valueOf: 'la valeur de {record}',
    checking: 'Vérification',
    foundInstead: 'Trouvé à la place',
    statuses: {
      pending: 'Pas encore vérifié',
      found: 'Trouvé',
      mismatch: 'Différent',
      missing: 'Introuvable',
    },
    titles: {
      dkim_rsa: 'DKIM, RSA',
      dkim_ed25519: 'DKIM, Ed25519',
      return_path: 'Return-Path',
      dmarc: 'DMARC',
      tracking: 'Suivi',
      dkim_rsa_next: 'Nouvelle clé DKIM, RSA',
      dkim_ed25519_next: 'Nouvelle clé DKIM, Ed25519',
      dkim_rsa_old: 'Ancienne clé DKIM, RSA',
      dkim_ed25519_old: 'Ancienne clé DKIM, Ed25519',
      inbound_mx: 'Courrier entrant (MX)',
      mta_sts_host: 'Hôte de la politique (MTA-STS)',
      mta_sts: 'Version de la politique (MTA-STS)',
      tls_report: 'Rapports TLS',
      claim: 'Propriété',
    },
    reportsHint: 'Pour recevoir des rapports, ajoutez rua=mailto: et une de vos adresses.',
    purposes: {
      dkim_rsa: 'Signe vos messages, pour que les destinataires puissent les authentifier.',
      dkim_ed25519: 'Une seconde signature, pour les destinataires qui acceptent Ed25519.',
      return_path:
        'Dirige les rebonds vers cette installation et apporte SPF : le domaine lui-même n’a besoin d’aucun enregistrement SPF.',
      dmarc:
        'Dit aux destinataires que faire des messages non authentifiés. Obligatoire pour les flux de diffusion.',
      tracking:
        'Le nom d’hôte des liens suivis. Nécessaire seulement si les ouvertures ou les clics sont suivis.',
      dkim_rsa_next: 'Signera vos messages dès que vous passerez aux nouvelles clés.',
      dkim_ed25519_next: 'Signera vos messages dès que vous passerez aux nouvelles clés.',
      dkim_rsa_old: 'A signé des messages qui peuvent encore être en route.',
      dkim_ed25519_old: 'A signé des messages qui peuvent encore être en route.',
      mta_sts_host: 'Le nom d’hôte où les expéditeurs récupèrent la politique TLS de votre courrier entrant.',
      mta_sts: 'Indique aux expéditeurs qu’il existe une politique TLS, et quand elle a changé.',
      tls_report: 'Demande aux expéditeurs des rapports quotidiens sur le TLS de votre courrier entrant.',
      inbound_mx: 'Amène à cette installation le courrier des adresses de vos flux entrants.',
      claim: 'Prouve que le domaine, ajouté par un autre compte, est à vous.',
    },
  },
  dkim: {
    title: 'Rotation des clés DKIM',
    hints: {
      rotate:
        'Changer les clés DKIM limite les dégâts d’une clé volée ; une ou deux fois par an suffit. Les clés actuelles signent jusqu’au changement.',
      switch:
        'Les enregistrements des nouvelles clés sont ci-dessus. Publiez-les ; une fois trouvés, passez aux nouvelles clés. Gardez les anciens enregistrements pour les messages en route.',
      retire:
        'Les messages sont signés avec les nouvelles clés. Gardez les anciens enregistrements quelques jours, le temps que les messages signés avec eux soient distribués ; retirez ensuite les anciennes clés et leurs enregistrements.',
    },
    steps: {
      rotate: {
        label: 'Créer de nouvelles clés',
        consequence:
          'Deux enregistrements DNS de plus doivent être publiés avant que les nouvelles clés puissent signer.',
        done: 'Nouvelles clés créées. Publiez leurs enregistrements.',
      },
      switch: {
        label: 'Signer avec les nouvelles clés',
        consequence: 'Tous les messages sont désormais signés avec les nouvelles clés.',
        done: 'Les messages sont signés avec les nouvelles clés.',
      },
      discard: {
        label: 'Abandonner les nouvelles clés',
        consequence: 'Les nouvelles clés sont supprimées ; les clés actuelles continuent de signer.',
        done: 'Nouvelles clés abandonnées.',
      },
      retire: {
        label: 'Retirer les anciennes clés',
        consequence:
          'Les anciennes clés sont supprimées définitivement ; leurs enregistrements DNS ne servent plus.',
        done: 'Anciennes clés retirées.',
      },
    },
    calendar: {
      every: 'Remplacement automatique',
      off: 'Non : remplacer les clés à la main',
      days: 'Tous les {days} jours',
      hint: 'À l’échéance, de nouvelles clés sont créées et les propriétaires reçoivent un e-mail avec leurs enregistrements. Les nouvelles clés signent une fois leurs enregistrements trouvés pendant un jour ; les anciennes sont retirées huit jours plus tard.',
      rotates: 'De nouvelles clés seront créées : {time}.',
      switches: 'Les nouvelles clés signent après {time}, si leurs enregistrements restent publiés.',
      waits: 'Les nouvelles clés signent une fois leurs enregistrements trouvés pendant un jour.',
      saved: 'Intervalle enregistré.',
    },
  },
  bimi: {
    title: 'Logo dans les boîtes (BIMI)',
    intro:
      'Les destinataires peuvent afficher ce logo à côté de vos e-mails. La vérification n’a aucun effet sur l’envoi.',
    statuses: { passed: 'Aucun défaut trouvé', failed: 'Défauts trouvés', declined: 'Aucun logo voulu' },
    record: 'Enregistrement',
    logo: 'Logo',
    certificate: 'Certificat',
    checked: 'Logo vérifié',
    findings: {
      record_several:
        'Plusieurs enregistrements BIMI portent ce nom, et les destinataires les ignorent tous. Gardez-en un seul.',
      record_invalid:
        'L’enregistrement n’est pas valide. Écrivez v=BIMI1; l=https://…/logo.svg; a=https://…/certificat.pem, chaque champ une fois.',
      dmarc_missing:
        'Un logo n’est affiché que pour un domaine avec un enregistrement DMARC valide. Publiez-en un.',
      dmarc_policy:
        'La politique DMARC n’est pas appliquée. p, et sp s’il existe, doivent être quarantine ou reject, sans pct inférieur à 100 et sans t=y.',
      logo_url: 'L’adresse du logo (l=) n’est pas une URL https.',
      logo_unreachable:
        'Le logo ne peut pas être récupéré. Son adresse doit répondre à tous avec le statut 200, sans redirection.',
      logo_type: 'Le logo n’est pas servi comme image/svg+xml.',
      logo_too_large: 'Le logo dépasse 32 Ko.',
      logo_not_svg: 'Le logo n’est pas une image SVG. Publiez-le en SVG Tiny PS.',
      logo_profile: 'L’élément svg du logo doit avoir version="1.2" et baseProfile="tiny-ps".',
      logo_title: 'Le logo doit avoir un élément title avec le nom de la marque.',
      logo_not_square: 'Le logo doit avoir une viewBox aux côtés égaux.',
      logo_script: 'Le logo contient un script, une animation ou un élément interactif. Retirez-le.',
      logo_external:
        'Le logo renvoie à autre chose que lui-même, ou contient une image qui n’est pas du SVG. Retirez-la.',
      certificate_url: 'L’adresse du certificat (a=) n’est pas une URL https.',
      certificate_missing:
        'Sans certificat (a=), Yahoo et Fastmail affichent le logo ; Gmail exige un VMC ou un CMC, Apple un VMC.',
    },
  },
  end: {
    title: 'Mettre en pause ou supprimer le domaine',
    deleted: '{domain} est supprimé.',
    isPaused: 'Le domaine est en pause : les requêtes d’envoi sont refusées.',
    mayPause: 'Mettez le domaine en pause pour refuser les nouveaux messages et retenir ceux en attente.',
    pauseQuestion: 'Mettre {domain} en pause ?',
    pauseHint:
      'Jusqu’à la réactivation, l’API et SMTP refusent tout nouveau message du domaine ; une application qui ne répète pas une requête refusée perd le message. Les messages en attente sont retenus.',
    resume: 'Réactiver',
    pause: 'Mettre en pause',
    deleteHint: 'Supprimez le domaine avec ses clés d’API, modèles, flux et messages.',
    delete: 'Supprimer',
    deleteDomain: 'Supprimer {domain}',
    deletePermanently: 'Supprimer définitivement',
    deleteConsequence:
      'Ses clés d’API et identifiants SMTP cessent aussitôt de fonctionner, et les messages en attente sont annulés. C’est irréversible.',
  },
  history: 'Événements récents',
  events: {
    added: 'Domaine ajouté',
    verified: 'Vérifié : tous les enregistrements obligatoires sont trouvés',
    flagged: 'Des enregistrements obligatoires manquent',
    recovered: 'Enregistrements obligatoires retrouvés',
    closed: 'Envoi arrêté : des enregistrements obligatoires ont manqué trois jours',
    paused: 'Mis en pause',
    resumed: 'Réactivé',
    claimed: 'Propriété prouvée par votre compte',
    lost: 'Propriété prouvée par un autre compte',
    dkim_rotated: 'Nouvelles clés DKIM créées',
    dkim_switched: 'Signature passée aux nouvelles clés DKIM',
    dkim_retired: 'Anciennes clés DKIM retirées',
    dkim_discarded: 'Nouvelles clés DKIM abandonnées',
    webhook_disabled: 'Webhook désactivé : son destinataire a échoué pendant des jours ou n’en voulait plus',
  },
}
