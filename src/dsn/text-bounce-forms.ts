// The wording of bounces by mail programs that do not follow RFC 3464.

/** Wording of one program's bounces, on one line with single spaces. */
export interface BounceForm {
  readonly name: string
  /** Opening words of the explanation; the details follow the opening. */
  readonly opening: RegExp
}

const form = (name: string, opening: RegExp): BounceForm => ({ name, opening })

/** Forms in the order of the search: a program that borrows the words of another program precedes that program. */
export const BOUNCE_FORMS: readonly BounceForm[] = [
  // Wording of qmail, and of programs that are based on qmail.
  form(
    'symantec',
    /This is the (?:mail delivery agent|Symantec|e?mail system) at \S{0,80}(?:messagelabs|symantec)\S{0,40}/i,
  ),
  form('yahoo', /Sorry, we were unable to deliver your message to the following address(?:es)?\./i),
  form(
    'qmail',
    /Hi\. This is the (?:qmail-send program|\S{1,60}) (?:at|for) .{1,200}?I.m afraid I wasn.t able to deliver your message to the following address(?:es)?\./i,
  ),
  form('qmail', /\bI wasn.t able to deliver your message to the following address(?:es)?\./i),
  // Wording of Exim, and of programs that use the opening of Exim.
  form('mail.ru', /Это письмо создано автоматически сервером Mail\.Ru/i),
  form(
    'exim',
    /A message that you (?:sent|have sent) (?:could not be delivered to|has not yet been delivered to) (?:one or more|all|any) of its recipients/i,
  ),
  form(
    'exim',
    /This message was created automatically by (?:the )?(?:mail delivery software|mail transport agent)/i,
  ),
  form(
    'exim',
    /Diese (?:E-?Mail|Nachricht) wurde automatisch (?:von|vom) \S{1,60}(?: \S{1,40}){0,3} (?:erzeugt|erstellt|generiert)/i,
  ),
  // Wording of Sendmail from version 5 on.
  form(
    'sendmail',
    /-{3,40} The following addresse?s had (?:permanent(?: fatal)?|transient(?: non-fatal)?|delivery) (?:fatal )?(?:errors|problems) -{3,40}/i,
  ),
  form('sendmail', /-{3,40} Transcript of session follows -{3,40}/i),
  // Wording of Postfix, and of Yandex, which uses the same words.
  form('postfix', /This is the (?:mail system|Postfix program|\S{1,40} mail system) at host \S{1,255}/i),
  form('postfix', /Это письмо отправлено почтовой системой сервера/i),
  form('dma', /This is the DragonFly Mail Agent .{0,300}?There was an error delivering your mail to/i),
  form(
    'opensmtpd',
    /This is the MAILER-DAEMON, please DO NOT REPLY to this e-?mail\. (?:Hi !? )?(?:An error has occurred while attempting to deliver a message|A message is delayed for more than \S{1,20})(?: for the following list of recipients)?[.:]?/i,
  ),
  // Google Groups does not reveal whether the group is missing or closed to the sender.
  form(
    'google-groups',
    /the group you tried to contact (?=\(.{1,200}?\) may not exist, or you may not have permission to post)|Your message to the group (?=\S{1,320} (?:could not be posted|was rejected))/i,
  ),
  form('mfilter', /-{5,40} ?server message\b/i),
  form(
    'kddi',
    /Your mail sent on ?:.{1,100}?Could not be delivered to ?:|Each of the following recipients was rejected by a remote mail server\./i,
  ),
  form('notes', /-{3,40} ?Failure Reasons ?-{3,40}/i),
  // MailEnable also uses words of Exchange, and therefore precedes Exchange.
  form('mailenable', /Message could not be delivered to some recipients\./i),
  // Wording of Exchange and Outlook, from version 5.5 to 365.
  form(
    'exchange',
    /The following recipient(?:\(s\)|s) (?:cannot|could not) be reached ?:|Delivery has failed to (?:these recipients|the following recipients|this recipient)|Your message did(?:n.t| not) reach (?:some or all|any|one or more) of the (?:intended )?recipients|\bdid not reach the following recipient(?:\(s\)|s)? ?:/i,
  ),
  form(
    'exchange',
    /Ihre Nachricht hat (?:einige|einen) oder alle (?:der )?Empfänger nicht erreicht|Fehler bei der Nachrichtenzustellung an folgende Empfänger|Échec de la remise (?:pour|à) (?:ces|les) destinataires|Error de entrega a (?:los siguientes|estos) destinatarios|Recapito non riuscito per i seguenti destinatari/i,
  ),
  form('outlook', /Your message to \S{1,320} couldn.t be delivered\./i),
  // Wording of Google.
  form(
    'gmail',
    /Delivery to the following recipients? (?:failed permanently|has been delayed|failed)\s?:|Your message wasn.t delivered to \S{1,320}|There was a (?:temporary )?problem delivering your message to|Message (?:not delivered|blocked|too large) \*\*|\*\* (?:Address not found|Message not delivered|Message blocked|Delivery incomplete|Recipient inbox full) \*\*/i,
  ),
  form('domino', /Your message(?: Subject: .{0,500}?)? (?:was|could) not (?:be )?delivered to ?:/i),
  form('groupwise', /The message that you sent was undeliverable to the following ?:/i),
  form(
    'aol',
    /(?:The mail you sent could not be delivered to|Your mail to the following recipients could not be delivered)[^:]{0,100}:/i,
  ),
  form('kddi', /The user\(s\) (?=account is|mailbox is|does|do not|could not)/i),
  form('java-messaging', /Your message (?:cannot|could not) be delivered to the following recipients ?:/i),
  form(
    'mdaemon',
    /The (?:attached|following) message (?:had|has) (?:PERMANENT|TRANSIENT) (?:fatal |non-fatal )?(?:delivery )?errors?|MDaemon has been unable to deliver/i,
  ),
  form('smartermail', /Could not deliver message to the following recipient(?:\(s\)|s) ?:/i),
  form(
    'imail',
    /^\s?(?:User mailbox exceeds allowed size|Invalid final delivery userid|unknown user|Unknown host|undeliverable) ?: ?(?=\S{1,320}@)/i,
  ),
  form(
    'mercury',
    /The following addresses? (?:could not be delivered|were not delivered|failed) ?:|This (?:is a|message is a) delivery failure notification/i,
  ),
  form(
    'courier',
    /(?:UNDELIVERABLE|UNDELIVERED) MAIL\b|Your message to the following recipients cannot be delivered ?:/i,
  ),
  form('amazon', /An error occurred while trying to deliver the mail to the following recipients ?:/i),
  form('t-online', /-{3,40} ?Failed addresses follow ?: ?-{3,40}/i),
  form(
    'mimecast',
    /The (?:message|email) (?:that )?you sent to \S{1,320} (?:failed|was rejected|could not be delivered)/i,
  ),
  form('qq', /(?:您的邮件被退回|你的邮件被退回|退信原因|无法发送到)/i),
  form(
    'docomo',
    /(?:宛先不明|エラーメール|次のあて先へのメッセージ(?:は|が)|宛先のメールアドレスが見つかりません|配信できませんでした)/i,
  ),
  form('dovecot', /Your message to (?=\S{1,320} was automatically rejected ?:)/i),
  form('e500', /-{3,40} ?Failed Recipients ?-{3,40}/i),
  form('non-delivery', /-{2,40} ?Non-Delivery Report ?-{2,40}/i),
  form('interscan', /Message from InterScan Messaging Security Suite/i),
  form('lsmtp', /A list of the affected recipients follows\.(?: This list is in a special format\S{0,2})?/i),
  // General wording, for bounces of unknown programs.
  form(
    'general',
    /\b(?:could ?n.t|could not|cannot|can.t|can not|was ?n.t|was not|has not been|were not|unable to) (?:be )?deliver(?:ed)?\b|\bundeliver(?:able|ed)\b|\bdelivery (?:to .{1,320} )?(?:has )?failed\b|\bfailed to deliver\b|\btrouble delivering\b|\b(?:was|were|am|are) ?(?:n.t|not) able to deliver\b|\bhas been returned\b|\breturned permanent errors\b|\bnicht zugestellt\b|\bunzustellbar\b|\bn.a (?:pas )?pu [êe]tre (?:remis|livr[ée]|d[ée]livr[ée])|\bno (?:se )?(?:ha podido|pudo) (?:ser )?entrega|\bnon è stato possibile (?:consegnare|recapitare)|\bnão (?:pôde|foi possível) (?:ser )?entreg|\bniet (?:worden )?(?:afgeleverd|bezorgd)|\bnie (?:została|może (?:zostać|być)) dostarczon|не может быть доставлен|не (?:удалось|было) доставлен?/iu,
  ),
]

/** Words that announce further delivery attempts. */
export const STILL_TRYING =
  /this is a(?:n?) (?:warning|informational) (?:message )?only|\bwarning only\b|you do not need to re-?send|do not re-?send your message|(?:will|wird|is) (?:continue|keep|be re?tried|still|weiterhin|automatically retr)[^.]{0,60}(?:try|attempt|retr|versuch|deliver)|no action is required on your part|has not yet been delivered|A message is delayed for more than|only a temporary failure report|(?:has been|is|was) delayed\b|delivery incomplete|temporary problem delivering|delivery attempts will continue|not (?:been |yet been )?delivered yet|(?:has been|is|was) (?:postponed|deferred)\b|\bstill trying\b|\bkeep trying\b|\bnext attempt\b|\bwill be re-?tried\b|wird weiterhin versucht|verzögert\b|a été retardée?\b|se ha retrasado|vertraagd\b/i

/** Line at which the returned message begins. */
export const COPY_FOLLOWS =
  /^(?:[ \t]*Below is a copy of the original message|[ \t>]*-{2,}[ \t]*(?:Below this line is|This is a copy|Returned mail|Unsent message|Original message|Returned message|Undelivered message|The header|Message header|Included is|Enclosed is|Start of)|[ \t]*(?:Original message (?:follows|headers)|(?:Original )?message header(?:s)? follows?|The following is the message header|Included is a copy of the message header|The headers? of the (?:original )?message|Reporting-MTA ?:|Return-Path ?: ?<|Received ?: (?:from|by) ))/im

/** Reasons that a mail system gives for a failure. */
export const REASONS =
  /\b(?:not a valid (?:user|mailbox|recipient|address)|no such (?:user|mailbox|recipient|address|person|account)|no (?:user|mailbox)(?: here)? by that name|(?:user|recipient|mailbox|account|address) (?:is )?(?:unknown|not found|invalid|disabled|inactive)|(?:unknown|invalid) (?:user|recipient|mailbox|address|account)|does not exist|over ?quota|(?:mailbox|inbox) (?:is )?full|full mailbox)\b/i

/** Words for a message that was delivered or relayed. */
export const SUCCESS =
  /\bsuccessfully (?:delivered|relayed|sent|received)|\bdelivered successfully|\bwas delivered to|has been (?:successfully )?(?:delivered|relayed|read)\b/i
