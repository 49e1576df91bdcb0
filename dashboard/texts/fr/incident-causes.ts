// Meaning and advice of incidents by the name of the sentences in the catalogue, in French.

import type { Translation } from '../texts.ts'

export const incidentCauses: Translation<typeof import('../en/incident-causes.ts').incidentCauses> = {
  gmail_ptr: {
    meaning:
      'Gmail ne trouve pas d’entrée DNS inverse pour l’adresse d’envoi, ou l’entrée ne ramène pas à l’adresse.',
    whatToDo:
      'Demandez à l’opérateur de publier un enregistrement PTR pour l’adresse, et un enregistrement A ou AAAA qui y ramène.',
  },
  gmail_spf: {
    meaning: 'Gmail n’a pas pu authentifier les e-mails par SPF.',
    whatToDo:
      'Vérifiez que le Return-Path du domaine mène à cette installation, et que l’enregistrement SPF de l’installation contient l’adresse d’envoi.',
  },
  gmail_tls: {
    meaning: 'Gmail exige une connexion chiffrée, et les e-mails sont arrivés sans TLS.',
    whatToDo:
      'Demandez à l’opérateur pourquoi les connexions à Gmail ne sont pas chiffrées ; souvent, un pare-feu supprime STARTTLS.',
  },
  gmail_dkim: {
    meaning: 'Gmail n’a pas pu vérifier la signature DKIM des e-mails.',
    whatToDo:
      'Vérifiez que les enregistrements DKIM du domaine sont publiés tels qu’affichés, et qu’aucun relais ne modifie les e-mails après la signature.',
  },
  gmail_dmarc: {
    meaning: 'Gmail ne trouve pas d’enregistrement DMARC, ou pas de politique dans l’enregistrement.',
    whatToDo: 'Publiez l’enregistrement DMARC de la page du domaine ; la politique none suffit.',
  },
  gmail_alignment: {
    meaning: 'Le domaine du champ From ne correspond ni à la signature ni au Return-Path.',
    whatToDo:
      'Envoyez avec une adresse From du domaine de la clé ou de l’identifiant, et vérifiez ses enregistrements DKIM et Return-Path.',
  },
  gmail_unauthenticated: {
    meaning: 'Gmail n’a pu authentifier les e-mails ni par SPF ni par DKIM.',
    whatToDo: 'Vérifiez les enregistrements DKIM et l’enregistrement Return-Path du domaine.',
  },
  gmail_rate: {
    meaning:
      'Gmail a remarqué un volume inhabituel d’e-mails de l’adresse, du réseau ou du domaine, et en accepte moins pendant un temps.',
    whatToDo:
      'Répartissez les e-mails sur une durée plus longue, et cherchez un flux qui envoie plus que d’habitude. Les e-mails différés sont renvoyés automatiquement.',
  },
  microsoft_block: {
    meaning: 'Microsoft bloque le réseau de l’adresse d’envoi.',
    whatToDo:
      'Demandez à l’opérateur de consulter l’adresse sur sendersupport.olc.protection.outlook.com, et d’y demander la levée du blocage.',
  },
  microsoft_rate: {
    meaning: 'Microsoft accepte moins d’e-mails de l’adresse d’envoi, à cause de la réputation de l’adresse.',
    whatToDo:
      'Envoyez moins pendant quelques jours, uniquement aux destinataires qui ont donné leur accord et lisent vos e-mails, et retirez les adresses rejetées.',
  },
  microsoft_policy: {
    meaning:
      'Une politique de Microsoft refuse les e-mails, à cause du contenu, du type d’adresse ou d’une liste noire.',
    whatToDo:
      'Demandez à l’opérateur de vérifier l’adresse d’envoi sur les listes noires et dans les Smart Network Data Services de Microsoft.',
  },
  microsoft_authentication: {
    meaning:
      'Microsoft exige SPF, DKIM et DMARC des expéditeurs de gros volumes, et il en manque aux e-mails.',
    whatToDo: 'Vérifiez les enregistrements DKIM, Return-Path et DMARC du domaine.',
  },
  yahoo_block: {
    meaning:
      'Yahoo refuse définitivement les e-mails, à cause de leur contenu ou parce qu’une liste noire contient l’adresse d’envoi.',
    whatToDo:
      'Demandez à l’opérateur de vérifier l’adresse sur les listes noires. Comparez les e-mails avec ceux des jours précédents, et modifiez les liens et contenus nouveaux.',
  },
  yahoo_deferral: {
    meaning:
      'Yahoo diffère les e-mails de l’adresse d’envoi pendant quelques heures, à cause d’un trafic inhabituel ou de plaintes de destinataires.',
    whatToDo:
      'Envoyez moins à Yahoo jusqu’à la fin des reports. Cherchez un flux qui s’est mis à envoyer davantage, ou à des personnes qui n’ont pas demandé ces e-mails ; facilitez le désabonnement. Les e-mails différés sont renvoyés automatiquement.',
  },
  apple_policy: {
    meaning: 'Une politique locale d’Apple refuse les e-mails.',
    whatToDo:
      'Vérifiez l’authentification et le contenu des e-mails. Demandez à l’opérateur d’écrire à icloudadmin@apple.com avec la réponse si les refus persistent.',
  },
  list_quality: {
    meaning:
      'De nombreux destinataires n’existent pas. La cause est souvent une liste d’adresses ancienne, achetée ou devinée, ou un formulaire sans vérification.',
    whatToDo:
      'Arrêtez l’envoi que le périmètre indique, vérifiez ses adresses et retirez celles qui ont été rejetées. Les destinataires bloquent les expéditeurs dont les e-mails vont à des adresses qui n’existent pas.',
  },
  alignment: {
    meaning: 'Les destinataires signalent que des e-mails du domaine ne sont pas authentifiés.',
    whatToDo:
      'Vérifiez les enregistrements DKIM et Return-Path du domaine, et les services qui envoient en son nom.',
  },
  alignment_ours_dkim: {
    meaning:
      'Les destinataires signalent que DKIM des e-mails de ce service ne correspond plus à l’adresse From.',
    whatToDo:
      'Comparez les enregistrements DKIM dans le DNS avec ceux que montre la page du domaine, puis vérifiez le domaine.',
  },
  alignment_ours_spf: {
    meaning:
      'Les destinataires signalent que SPF des e-mails de ce service ne correspond plus à l’adresse From.',
    whatToDo:
      'Vérifiez que l’enregistrement Return-Path du domaine mène à ce service, et que l’enregistrement SPF de l’hôte Return-Path contient l’adresse.',
  },
  alignment_ours_dmarc: {
    meaning:
      'Les destinataires signalent que ni DKIM ni SPF des e-mails de ce service ne correspond à l’adresse From.',
    whatToDo:
      'Vérifiez les enregistrements DKIM et Return-Path du domaine ; les destinataires peuvent refuser les e-mails.',
  },
  alignment_known_dkim: {
    meaning:
      'Les destinataires signalent que DKIM des e-mails de {source} ne correspond plus à l’adresse From.',
    whatToDo:
      'Configurez DKIM avec votre propre domaine chez {source}, afin que la signature corresponde à l’adresse From.',
  },
  alignment_known_spf: {
    meaning:
      'Les destinataires signalent que SPF des e-mails de {source} ne correspond plus à l’adresse From.',
    whatToDo:
      'Configurez DKIM avec votre propre domaine chez {source}, afin que la signature corresponde à l’adresse From.',
  },
  alignment_known_dmarc: {
    meaning:
      'Les destinataires signalent que ni DKIM ni SPF des e-mails de {source} ne correspond à l’adresse From.',
    whatToDo:
      'Configurez DKIM avec votre propre domaine chez {source}, afin que la signature corresponde à l’adresse From.',
  },
  listing: {
    meaning:
      'Une liste noire contient une de vos adresses ou un de vos domaines, et les destinataires qui la consultent refusent les e-mails.',
    whatToDo:
      'Cherchez d’abord la cause de l’inscription, puis demandez le retrait sur la page que la liste indique.',
  },
  listing_other: {
    meaning:
      '{zone} contient {subject}. Les destinataires qui consultent la liste refusent peut-être les e-mails.',
    whatToDo:
      'Trouvez et corrigez d’abord la cause, par exemple un compte compromis ou une vieille liste de destinataires ; demandez ensuite le retrait : {page}',
  },
  listing_large: {
    meaning: '{zone} contient {subject}. Les grands destinataires refusent les e-mails.',
    whatToDo:
      'Trouvez et corrigez d’abord la cause, par exemple un compte compromis ou une vieille liste de destinataires ; demandez ensuite le retrait : {page}',
  },
  listing_small: {
    meaning: '{zone} contient {subject}. Beaucoup de petits destinataires refusent les e-mails.',
    whatToDo:
      'Trouvez et corrigez d’abord la cause, par exemple un compte compromis ou une vieille liste de destinataires ; demandez ensuite le retrait : {page}',
  },
  listing_policy: {
    meaning:
      '{zone} contient {subject}, parce que le fournisseur de l’adresse déclare qu’elle n’envoie pas d’e-mails. Beaucoup de destinataires refusent les e-mails de telles adresses.',
    whatToDo: 'Le propriétaire de l’adresse peut la retirer en quelques minutes : {page}',
  },
  requirement: {
    meaning: 'Une exigence du destinataire envers les expéditeurs n’est pas remplie.',
    whatToDo:
      'Remplissez l’exigence que les preuves indiquent ; les destinataires refusent de plus en plus d’e-mails avec le temps.',
  },
  rate_limited: {
    meaning: 'Le destinataire accepte moins d’e-mails qu’il n’en est envoyé, et diffère le reste.',
    whatToDo:
      'Cherchez un flux qui envoie plus que d’habitude, et répartissez ses e-mails sur une durée plus longue. Les e-mails différés sont renvoyés automatiquement.',
  },
  blocked: {
    meaning: 'Le destinataire refuse l’adresse d’envoi ou le domaine à cause de sa réputation.',
    whatToDo:
      'Demandez à l’opérateur de vérifier l’adresse d’envoi sur les listes noires. Suspendez les e-mails que les destinataires n’ont pas demandés, et demandez au destinataire la levée du blocage comme l’indique sa réponse.',
  },
  policy: {
    meaning: 'Une règle du destinataire refuse les e-mails.',
    whatToDo:
      'Lisez la réponse de l’exemple : elle indique la règle. Vérifiez l’authentification du domaine.',
  },
  content: {
    meaning: 'Un filtre du destinataire refuse le contenu des e-mails.',
    whatToDo:
      'Comparez les e-mails avec ceux d’avant l’incident : de nouveaux liens, pièces jointes ou modèles sont la cause habituelle.',
  },
  size: {
    meaning: 'Les e-mails sont plus gros que ce que le destinataire accepte.',
    whatToDo: 'Envoyez des liens à la place de grosses pièces jointes.',
  },
  auth: {
    meaning: 'Le destinataire n’a pas pu authentifier les e-mails.',
    whatToDo: 'Vérifiez les enregistrements DKIM, Return-Path et DMARC du domaine.',
  },
  network: {
    meaning: 'Les serveurs de messagerie sont injoignables, ou mettent fin au dialogue sans réponse.',
    whatToDo:
      'Demandez à l’opérateur de vérifier le réseau de l’adresse d’envoi. Les e-mails sont renvoyés automatiquement.',
  },
  dns: {
    meaning: 'Les serveurs de messagerie des destinataires sont introuvables dans le DNS.',
    whatToDo:
      'Demandez à l’opérateur de vérifier le résolveur DNS de cette installation. Les e-mails sont renvoyés automatiquement.',
  },
  tls: {
    meaning: 'Le chiffrement qu’exige le destinataire ou le message n’est pas possible.',
    whatToDo:
      'Lisez le dialogue de l’exemple. La cause habituelle est un certificat expiré du destinataire ; les e-mails sont renvoyés automatiquement.',
  },
  protocol: {
    meaning: 'Les serveurs de messagerie enfreignent les règles de SMTP, ou refusent une commande.',
    whatToDo: 'Lisez le dialogue de l’exemple, et signalez-le au destinataire ou à l’opérateur.',
  },
  expired: {
    meaning: 'Des e-mails différés n’ont pas pu être remis avant la fin des tentatives.',
    whatToDo: 'Lisez la réponse de l’exemple : elle indique la cause des reports.',
  },
  mailbox_not_found: {
    meaning: 'De nombreux destinataires n’existent pas.',
    whatToDo: 'Vérifiez les adresses de la liste, et retirez celles qui ont été rejetées.',
  },
  mailbox_disabled: {
    meaning: 'De nombreuses boîtes des destinataires sont désactivées.',
    whatToDo: 'Retirez les adresses qui ont été rejetées.',
  },
  mailbox_full: {
    meaning: 'De nombreuses boîtes des destinataires sont pleines.',
    whatToDo: 'Retirez les adresses dont la boîte reste pleine.',
  },
  domain_invalid: {
    meaning: 'De nombreux domaines des destinataires n’acceptent pas d’e-mails.',
    whatToDo: 'Vérifiez les adresses de la liste, et retirez celles qui ont été rejetées.',
  },
  other: {
    meaning: 'Le destinataire refuse ou diffère les e-mails.',
    whatToDo: 'Lisez la réponse et le dialogue de l’exemple.',
  },
}
