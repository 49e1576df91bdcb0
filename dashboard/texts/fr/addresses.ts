// Texts of the page of an address, in French.

import type { Translation } from '../texts.ts'

export const addresses: Translation<typeof import('../en/addresses.ts').addresses> = {
  noneSent: 'Aucun message n’a été envoyé à cette adresse.',
  count: '{status} : {count}',
  ofNewest: 'Parmi les messages les plus récents : {counts}',
  domain: 'Domaine',
  allDomains: 'Tous les domaines',
  messages: 'Messages',
  noMessages: 'Aucun message',
  noMessagesHint: 'Aucun message n’a été envoyé à cette adresse, ou ils ne sont plus conservés.',
  erase: 'Effacer',
  eraseQuestion: 'Effacer cette adresse ?',
  eraseHint:
    'Efface de tous les domaines les messages à ce destinataire, avec leurs événements et leurs tentatives. Les suppressions sont conservées sous forme de hachage, pour que rien ne soit plus envoyé à l’adresse. Les envois des webhooks peuvent contenir l’adresse pendant sept jours encore, et le journal d’audit garde ses entrées. C’est irréversible.',
  erased: 'L’adresse a été effacée.',
  suppressions: 'Suppressions',
  notSuppressed: 'Non supprimée : les messages sont envoyés à cette adresse.',
  removeFrom: 'Retirer de {domain}, {stream}',
  suppressed: '{email} est supprimée.',
  suppressQuestion: 'Supprimer {email} ?',
  suppressHint: 'Aucun flux du domaine n’envoie à cette adresse tant qu’elle n’est pas retirée de la liste.',
  verifications: 'Vérifications',
  noVerification: 'Aucune vérification de cette adresse.',
  verify: 'Vérifier',
  singleAddress: 'Adresse seule',
  list: 'Liste d’adresses',
}
