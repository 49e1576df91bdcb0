// Signs that a reply speaks of the sender: of its address, domain, host or account, in many languages.

import { plain } from './reply-text.ts'

const oneOf = (alternatives: string): string => alternatives.replace(/\s*\n\s*/g, '')

/** What a sender has: the nouns that words for the sender stand with. */
const THING = `
  mx|mail exchanger|domains?|address(?:es)?|hosts?|hostname|mailbox(?:es)?|mail box|receipt|accounts?|users?|username|mailserver|mail server|path|identity|name|
  adresse|konto|postfach|compte|domaine|direccion|buzon|cuenta|dominio|indirizzo|casella|endereco|conta|adres|konto`
/** Words that make such a thing the sender's. */
const OF_SENDER = `
  senders?(?: s)?|originat(?:or|ors|or s|ing)|origin|source|submitt(?:er|ing)|poster|authors?(?: s)?|correspondent|mailer|from|return|reply|replies|response|bounces?|
  errors to|envelope|reverse|sending|client|smtp|submission|login|auth\\p{L}{0,12}|peer|postmaster`
/** Nouns of the sender in other languages, from their beginnings. */
const ELSEWHERE = `
  absender|rucksende|ruckantwort|ruckadress|expedit|emetteur|remitent|emisor|mittent|remetent|emissor|afzender|nadawc|zwrotn|avsandar|avsender|afsender|lahettaj|
  odesilatel|odosielatel|felado|gonderen|gonderici|отправител|обратн|відправник|αποστολε|pengirim|nguoi gui|المرسل|השולח`
/** The same in scripts without spaces. */
const SIGNS = '发件 發件 寄件 寄信 发信 發信 送信 差出人 发送者 发送人 回信地址 返信 발신 보낸'

const SPEAKS = new RegExp(
  oneOf(`(?<= )(?:
    (?:${OF_SENDER}) (?:\\p{L}{1,20} )?(?:${THING})|
    (?:${THING}) (?:\\p{L}{1,20} ){0,2}?(?:of|in|for|behind|from) (?:the |your |this |that |a )?(?:mail )?(?:sender|originator|submitter|poster|author|envelope|mail from|from|client)|
    senders? (?:is|was|does|doesn t|has|not|cannot|could|unknown|invalid|rejected|denied|refused)|
    (?:unknown|invalid|no such|bad|illegal|fake|forged|null|empty|blocked|rejected|denied) (?:\\p{L}{1,20} )?(?:senders?|originators?|submitters?|posters?|correspondents?|authors?|peers?)|
    (?:submitter|poster|correspondent|originator) (?:is |was )?(?:not|unknown|invalid)|
    your (?:own )?(?:mx|mail exchanger|domain|account|user|address|company|organi[sz]ation|relay|server|host|postmaster|email address|e mail address|mail account|return|side)|
    you are (?:unknown|not|no)|bounces? to|(?:errors|mail|reply|replies|write|answer) (?:back )?to you|
    sending (?:for|from|of|is|by)|to send (?:this|it|mail|mails|email|messages)|for sending|in (?:the |your )?mail (?:command |from |line )?(?:is|was|does|doesn t|not|unknown|invalid)|outgoing|outbound|callback|call back|(?:at|on) your (?:side|end)|reply to you|answer you|
    (?:mail|mails|message|messages|e mail|email|it|this|that|which|who|sent|came|comes|coming|submitted|submitting) (?:from|sent by|sent from|sent this|came from|comes from)(?! the recipient)|
    (?:who|that|which) (?:sent|sends|submitted|submits)|
    you (?:\\p{L}{1,15} )?(?:send|sent|sending|mail|mailing|write|wrote|authenticate|authenticated|log in|logged in|login|sign in|connect|relay|submit|used|came) (?:\\p{L}{1,15} )?(?:from|as|with|through)|
    (?:mail|rcpt) from|adresse de retour|\\p{L}{0,12}(?:retour|ritorno|retorno)|
    \\p{L}{0,10}(?:${ELSEWHERE})\\p{L}{0,10})(?= |$)`),
  'u',
)
const SIGN_LIST = SIGNS.split(' ').map((sign) => ` ${plain(sign)} `)
/** Clauses that say where the mail goes back to, or what to do. */
const AFTERWARDS = / (?:return(?:ed|ing)?|back|sent) to (?:the |its )?sender|(?:please|contact|ask|inform) /

/** True if a clause speaks of the sender. `clauses` as `readWords` gives them. Linear. */
export function speaksOfSender(clauses: string): boolean {
  if (SIGN_LIST.some((sign) => clauses.includes(sign))) return true
  return clauses.split('|').some((clause) => SPEAKS.test(clause) && !AFTERWARDS.test(clause))
}
