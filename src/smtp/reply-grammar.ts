// Words of grammar in replies: those that lead to the recipient, those that may lead to the sender, and advice.

import { hasFault, KINDS } from './fault-words.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))
/** Joins patterns to one pattern that matches whole words. */
const anyOf = (patterns: readonly RegExp[]): RegExp =>
  new RegExp(`(?<= )(?:${patterns.map(({ source }) => source).join('|')})(?= )`, 'gu')

/** Relative clauses towards the recipient, by language: "the user you are sending to". */
const TOWARDS_RECIPIENT = anyOf([
  /(?:to )?(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:just )?(?:try|tried|trying|want|wanted|wish|wished|attempted|attempting|meant|intended|like) to (?:reach|contact|e?mail|write to|address)/u,
  /(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:enter(?:ed)?|typed?|gave|given|specified|requested|provided|named|looking for|asked for|reached)/u,
  /(?:to )?(?:(?:that|which|whom|who) )?you (?:are |were |have |had |ve |re )?(?:just )?(?:send|sending|sent|write|writing|wrote|mail|mailing|mailed|email|emailing|emailed|deliver|delivering|post|posting)(?: (?:it|this|this mail|your mail|a message|your message|an email))? to/u,
  /(?:(?:that|which|whom|who) )?you (?:have |had |ve )?(?:address|contact|mail|email|reach|want|need|tried|addressed|contacted|mailed|emailed)(?= (?:is|was|has|had|does|do|did|no|not|isn|wasn|hasn|doesn|cannot|could|can) )/u,
  /your(?= mailbox has been blocked due to inactivity )/u,
  /(?:an )?(?:die|den|das|dem) (?:sie|ihre (?:mail|nachricht)) (?:\p{L}{1,12} )?(?:schreiben|senden|anschreiben|angeschrieben|angegeben|eingegeben|erreichen|gesendet|geschickt)(?: (?:wollen|wollten|mochten|haben))?/u,
  /von ihnen (?:angeschrieben|angegeben|gewunscht|eingegeben|genannt)\p{L}{0,2}/u,
  /(?:a laquelle|auquel|a qui) vous (?:ecrivez|envoyez|avez ecrit)|que vous (?:essayez de|tentez de|cherchez a|souhaitez|voulez|avez) (?:joindre|contacter|saisie?|indiquee?|demandee?)/u,
  /(?:a la|al) que (?:usted )?(?:escribe|envia|intenta escribir|esta escribiendo)|que (?:ha indicado|intenta contactar|ha escrito)/u,
  /(?:a|al|alla) (?:cui|quale) (?:si sta|sta|stai|state|ha|hai) (?:scrivendo|inviando|scritto)|che (?:sta|si sta|state) cercando di (?:contattare|raggiungere)/u,
  /para (?:o qual|a qual|quem) (?:voce )?(?:esta )?(?:escrev|envi)\p{L}{1,5}/u,
  /waar(?:naar|aan) u (?:schrijft|mailt|stuurt)|die u (?:probeert te|wilt) bereiken/u,
  /na ktor[eya] (?:wyslano|piszesz|wysylasz)(?: wiadomosc)?|do ktore(?:go|j) piszesz/u,
  /котор\p{L}{2,3} вы пишете|на которыи вы (?:пишете|отправляете)/u,
  /(?:som )?(?:du|ni|de) (?:skickar|skriver|sender|forsoker na) till?/u,
  /yazd[iı]g[iı]n[iı]z/u,
  /お 送 り い た た い た|您 (?:所 )?(?:发 送 的|查 找 的|要 找 的|输 入 的)/u,
])

/** Removes relative clauses towards the recipient from plain words. */
export const withoutTowards = (text: string): string =>
  text.replace(TOWARDS_RECIPIENT, '').replace(/ {2,}/g, ' ')

/** First words of clauses that greet the reader or tell the reader what to do. */
const ADVICE =
  /^ (?:dear \p{L}+ $|hello |hi |hey |kindly |sorry $|bad luck |no can do |please (?!note)|请 |see |check |contact |visit |try |refer |ask |go to |for (?:more|further|details|information|help|explanation|assistance) |remove |update |do not |don t |use |write to |stop |more (?:info|details|information) |learn more |bitte |siehe |prufen |veuillez |merci de |voir |verifiez |por favor |consulte |contacte |revise |verifique |si prega |per favore |verificare |controllare |controleer |neem |prosimy |prosze |sprawdz |kontrollera |пожалуиста |проверьте |обратитесь |if you )/u

/** True for a clause that only greets or advises; such a clause names nothing at fault. */
export const isAdvice = (clause: string): boolean => ADVICE.test(clause) && !hasFault(clause)

/**
 * Phrases that lead from a noun to the mail at hand, and so to its sender: "account of this mail". The phrase "mail of
 * this account" does not match.
 */
export const OF_THIS_MAIL =
  / (?:of|in|on|with|behind|by) (?:this|the|your|that) (?:mail|email) (?!(?:account|address|box|domain|host|server|system|user))/

/**
 * Words that may lead to the sender: the reader, the way of the mail, its answer, and states of a mailbox that exists.
 * `POINTING_SIGNS` has such words of scripts without spaces.
 */
export const POINTING = words(`
  you your yours yourself from whose whom sender senders sending sent sends send submit submitted submitting
  originate origin source author auteur autor autore автор автора verfasser reply replies replying bounce
  bounces return returns write wrote written writing outbound outgoing login logged identity behalf notify
  callout callback verification full quota space whitelist greylist allowlist presented claim claimed pretend
  says told according authenticate ihr ihre ihrem ihren ihrer ihnen sie absender absenders versand senden
  vous votre vos expediteur envoi usted remitente envio suo sua vostro vostra mittente scrive voce
  remetente envia u uw afzender verzenden pan pana twoj twoje nadawca nadawcy вы вас вам вами ваш ваша ваше
  вашего вашем отправитель отправителя ditt dina avsandare avsandaren afsender avsender gonderen
  gonderici`)
export const POINTING_SIGNS = / (?:您|你|发|寄|送|貴|お 客|差 出|発) /

/**
 * Prepositions and relative pronouns that continue a noun: "unknown at the dispatching host". Other words behind a fault,
 * of time or reason, describe no noun.
 */
export const CONTINUING = words(`
  at on in by of from with to under behind without for via through within as that which who whose whoever que
  qui che dont quien chi welche welcher welches dem denen bei auf in von an unter fur beim im chez sur en au
  dans par de a su in presso del della da por para pelo op bij van voor na w u przez на в у от для hos pa i av
  fra for`)
/** Words behind which a clause describes its noun no further. */
export const JOINTS = words(`
  | and but so because since after following due or und aber weil wegen nach seit et mais car depuis suite y
  pero desde e ma dopo mas apos maar omdat wegens ale bo и но из men og`)
export const ARTICLES = words(
  'the a an this that our its their der die das dem den des ein eine le la les l un une el los las il lo i gli o os de het een',
)
/** Prepositions that may end a relative clause: "the mailbox this was written with". */
export const STRANDED = words('with from by through via for under as')
/** Relative pronouns that have no other use. */
export const RELATIVE = words('who whose whom which whoever que qui che quien chi')

/** True for a clause such as "which dispatched this"; German relative pronouns are articles as well. */
export function beginsRelative([first = '', second = '']: readonly string[]): boolean {
  if (/^(?:der|die|das|dem|den)$/.test(first)) return !KINDS.has(second)
  return CONTINUING.has(first)
}
