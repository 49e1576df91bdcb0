// Texts of the statistics page, in addition to the texts of the home page, in French.

import type { Translation } from '../texts.ts'

export const statistics: Translation<typeof import('../en/statistics.ts').statistics> = {
  title: 'Statistiques',
  intro: 'Destinataires, comptés à l’heure de chaque événement.',
  steps: 'Pas',
  by: { hour: 'Par heure', day: 'Par jour' },
  none: 'Aucun message dans cette période',
  noneHint: 'Les chiffres apparaissent ici environ une seconde après chaque événement.',
  hint: 'Les plaintes sont celles que signalent les fournisseurs, comme Yahoo et Outlook.com. Gmail n’en signale aucune : consultez ses Postmaster Tools. Seuls comptent la première ouverture et le premier clic de chaque destinataire, sauf ceux des programmes.',
  tag: 'Étiquette',
  provider: 'Fournisseur du destinataire',
  inParts: 'Répartition',
  groupBy: 'Grouper par',
  groups: { stream: 'Flux', tag: 'Étiquette', provider: 'Fournisseur', category: 'Cause de rejet' },
  figuresBy: {
    stream: 'Chiffres par flux',
    tag: 'Chiffres par étiquette',
    provider: 'Chiffres par fournisseur du destinataire',
    category: 'Rejets par cause',
  },
  noneOf: {
    stream: 'Aucun message dans cette période.',
    tag: 'Aucun message avec une étiquette dans cette période.',
    provider: 'Aucune tentative dans cette période.',
    category: 'Aucun rejet dans cette période.',
  },
  others: { stream: '–', tag: 'Autres étiquettes', provider: 'Autres hôtes' },
  accepted: 'Acceptés',
  delivered: 'Distribués',
  deferred: 'Différés',
  bounced: 'Rejetés',
  bounceRate: 'Taux de rejet',
  complaints: 'Plaintes',
  mostWithin: '95 % en',
  cause: 'Cause',
  share: 'Part',
  noCauses:
    'Les causes ne sont pas conservées par étiquette ni par fournisseur. Effacez ce filtre pour les voir.',
}
