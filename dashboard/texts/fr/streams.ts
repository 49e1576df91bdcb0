// Texts of the streams of a domain, in French.

import type { Translation } from '../texts.ts'

export const streams: Translation<typeof import('../en/streams.ts').streams> = {
  title: 'Flux',
  intro:
    'Les flux séparent les types de courrier. Chacun a sa propre liste de suppression, sa limite de débit et son quota d’envoi.',
  new: 'Nouveau flux',
  none: 'Aucun flux',
  stream: 'Flux',
  archived: 'Archivé',
  kind: 'Type',
  kinds: { transactional: 'Transactionnel', broadcast: 'Diffusion', inbound: 'Entrant' },
  rateLimit: 'Limite de débit',
  noLimit: 'Sans limite',
  allowance: 'Quota',
  sent: 'Envoyés en 30 jours',
  bounced: '{share} rejetés',
  created: 'Créé',
  actionsFor: 'Actions pour {name}',
  edit: 'Modifier',
  archiveOrDelete: 'Archiver ou supprimer',
  wasDeleted: '{name} est supprimé.',
  wasArchived: '{name} est archivé.',
  removeQuestion: 'Retirer {name} ?',
  remove: 'Retirer',
  removeHint:
    'Les requêtes qui nomment le flux sont alors refusées. Un flux avec des messages est archivé, pour qu’on puisse encore les trouver ; un flux inutilisé est supprimé.',
  editOne: 'Modifier {name}',
  saved: '{name} est enregistré.',
  save: 'Enregistrer',
  name: 'Nom',
  alias: 'Alias',
  aliasHint: 'Désigne le flux dans les requêtes d’envoi. Ne peut pas être changé ensuite.',
  kindHint:
    'Les messages de diffusion portent un lien de désinscription ; les flux entrants reçoivent du courrier. Ne peut pas être changé ensuite.',
  addresses: 'Adresses',
  addressesHint:
    'Une par ligne, par exemple support@example.com (qui reçoit aussi support+suffixe@example.com), ou *@in.example.com pour toutes les adresses d’un hôte',
  retention: 'Conservation des contenus, en jours',
  retentionHint: 'Durée de conservation du contenu des messages ; vide : aussi longtemps que le domaine',
  keepInbound: 'Conserver les contenus plus de trois jours',
  keepSent: 'Conserver les contenus après la distribution',
  archivedHint: 'Archivé : n’accepte aucun message',
  moreSettings: 'Autres réglages',
  rateHint: 'Par exemple 50/s ; vide pour aucune limite',
  lifetime: 'Durée de vie en file d’attente, en heures',
  lifetimeHint:
    'Les destinataires non servis échouent après ce délai ; vide pour la valeur par défaut de cette installation',
  sendingAllowance: 'Quota d’envoi',
  allowanceHint: 'Nombre de destinataires restants ; vide pour aucune limite',
  trackOpens: 'Suivre les ouvertures',
  trackClicks: 'Suivre les clics',
  tracking: { domain: 'Comme le domaine', true: 'Oui', false: 'Non' },
  headers: 'Champs d’en-tête',
  headersHint:
    'Un par ligne, par exemple X-Campaign: spring. Ajoutés aux messages qui ne les définissent pas eux-mêmes.',
  unsubscribing: 'Désabonnement',
  unsubscribeBy: 'Lien de désabonnement',
  unsubscribe: { service: 'Celui de Postrider', sender: 'Celui de l’expéditeur' },
  unsubscribeHints: {
    service:
      'Chaque message reçoit un List-Unsubscribe de cette installation, qui remplace celui qu’il apporte, et un lien visible.',
    sender:
      'Les messages qui apportent leur propre List-Unsubscribe le gardent et n’ont pas de pied de page ; le système de l’expéditeur traite les clics. Les messages sans List-Unsubscribe (https) ni List-Unsubscribe-Post sont refusés.',
  },
  senderName: 'Nom de l’expéditeur',
  senderNameHint: 'Vide : le domaine',
  logo: 'Logo',
  logoHint: 'L’adresse https d’une image',
  colour: 'Couleur',
}
