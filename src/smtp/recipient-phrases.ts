// Phrases of replies about the recipient: about its mailbox, its domain, and who may write to it.

import type { ReplyRule } from './reply-rule.ts'

/** 5.1.7 and 5.1.8 are about the sender's address and domain (RFC 3463 §3.2), in any words. */
const SENDERS = ['1.7', '1.8']

const BOX = '(mailbox|account|user|recipient|address|box)'
/** Nouns of a missing recipient, and the words for missing that follow or go before them. */
const WHO = `
  (user|username|recipient|mailbox|mail box|inbox|account|address|addressee|person|alias|customer|
  subscriber|rcpt|email|e mail)`
const IS_UNKNOWN = `
  (unknown|not found|not be found|no found|does not exist*|doesn t exist*|doesnt exist*|dosn t exist*|
  not exist*|
  no exist*|don t exist*|no longer exist*|non exist*|nonexist*|not valid|not a valid|invalid|isn t valid|
  not known|not recogni*|not hosted|not handled|not local|not registered|not reside*|not on this|not a member|
  unrecogni*|not listed|not present|not defined|unallocated|undeliverable|incorrect|
  misspelled)`
const UNKNOWN = `
  (unknown|no such|invalid|nonexist*|non exist*|incorrect|wrong|illegal|undeliverable|unrouteable|
  unroutable|unrecogni*|can t find|cannot find|could not find|couldn t find|unable to find|no local|
  not a valid|not a known|don t exist*|doesn t exist*)`

/** It takes mail of chosen senders only, so it exists. */
export const RESTRICTED: ReplyRule = {
  category: 'policy',
  about: 'mailbox',
  phrases: `
    not authorized to send to, not allowed to send to, not permitted to send to,
    do not have permission to send, does not have permission to send, permission to send to this recipient,
    (refuses|refused) to (receive|accept), not accept mail from, only accepts mail from,
    only accepts messages from, recipient only accepts,
    does not accept mail from, recipient preferences, restricted recipient, recipient restricted,
    internal use only, closed mailing list, members only, permission to post, not open to posting,
    disabled for (external|outside|incoming|such|messages|attachments),
    no longer (accept|accepts|accepting) (mail|messages|email|emails|e mail|e mails) (with|without|from|over|containing|larger|that|which)`,
}

export const DISABLED: ReplyRule = {
  category: 'mailbox_disabled',
  evidence: 'recipient',
  phrases: `
    ${BOX} ... (disabled|suspended|inactive|discontinued|frozen), ${BOX} .. (locked|expired|closed|
    terminated|cancelled|canceled|deleted), (disabled|suspended|inactive|blocked|closed|expired) (mailbox|
    account|user|recipient|address), ${BOX} (blocked|is blocked|has been blocked|was blocked),
    (mailbox|account|address) ... inactivity, archived recipient,
    ${BOX} ... (deactivated|not active|not been activated|not activated),
    ${BOX} ... no longer (active|in use|used|available|valid|accept*|works|employed|an employee|monitored|receiv*),
    (mailbox|user|recipient) has moved, mailbox owner has changed, compte desactive, compte suspendu,
    compte bloque, compte du destinataire est (bloque|desactive|suspendu),
    boite du destinataire (est |)(archivee|desactivee|suspendue), postfach ... gesperrt, konto ... gesperrt,
    cuenta ... desactivada,
    cuenta ... suspendida, (usuario|cuenta|buzon|casilla|conta) ... (inactiv*|inativ*),
    (cuenta|buzon|casilla|conta) ... expirad*,
    casella ... disabilitata, casella ... sospesa,
    ящик ... заблокирован, ящик ... отключен, 邮箱已停用, 账号已禁用, 用户被禁用, 用户被锁定`,
}

/** The same without a noun: believed where a recipient is spoken of anyway. */
export const DISABLED_BARELY: ReplyRule = {
  category: 'mailbox_disabled',
  evidence: 'words',
  phrases: `
    (disabled|suspended|inactive|blocked|closed|expired) email,
    disabled or discontinued, inactive on this, deactivated, not active, not been activated,
    not activated, extended inactivity,
    no longer (active|in use|used|available|valid|accept*|works|employed|an employee|with|monitored|receiv*),
    administratively (disabled|closed|locked|suspended|blocked|terminated|removed|deactivated),
    (disabled|closed|locked|suspended|terminated|removed|deactivated) administratively,
    deaktiviert, por falta de uso, per inutilizzo, zablokowan*`,
}

/** Counts of messages and room on disks, whose words are those for a rate or a busy host as well. */
export const FULL_OF_MESSAGES: ReplyRule = {
  category: 'mailbox_full',
  phrases: `
    too many (messages|mails|emails|e mails) .. (in|on|for) .. (mailbox|inbox|mail box|folder|account),
    (mailbox|inbox|user|recipient|account) .. (has|holds|contains) .. too many (messages|mails|emails|e mails),
    (message|messages) (count |)quota, quota of messages, quota ... number of messages,
    maximum number of (messages|mails|emails) ... (stored|mailbox|inbox),
    (mailbox|inbox|recipient|user|account|customer) ... (disk space|disk quota|space left|storage space|enough space|
    enough room|more space|more room|more messages|without space|used up),
    (disk space|disk quota|storage space|space|room) .. (in|for|of|on) .. (mailbox|inbox|recipient|user|account),
    mailbox is at its limit, exhausted ... (space|quota|storage), (quota|storage|space) ... exhausted`,
}

export const FULL: ReplyRule = {
  category: 'mailbox_full',
  phrases: `
    (mailbox|mail box|inbox|account|mailfolder|recipient|storage) .. full, (folder|user) is full,
    full mailbox, over quota, overquota, out of quota, quota exceed*, quota full, quota violation,
    (exceed*|above|over) ... quota, (disk|mailbox|storage) quota, exceeded ... storage, out of storage,
    storage (limit|space|allocation|full), mailbox ... exceed*, mailbox size limit, mailbox limit,
    mailbox ... (not enough|insufficient|no) space, no space left in mailbox, mailbox over,
    user has too many messages, insufficient ... mailbox, boite ... pleine, bal pleine, quota depasse,
    postfach ... voll, mailbox voll, speichervolumen, speicherplatz, casella ... piena, buzon ... lleno,
    buzon lleno, caixa ... cheia, cuota ... excedida, skrzynka ... przepelniona, переполнен*, 邮箱已满, 空间不足`,
}

export const NOT_FOUND: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'recipient',
  notSubject: SENDERS,
  phrases: `
    (user|recipient|mailbox|account|addressee) (is |)(unknown|invalid), (user|recipient|mailbox|
    account) (is |)not (known|found|valid|present|exist*), (unknown|no such|invalid|non existent|
    bad) (user|recipient|mailbox|account), validrcptto, (unknown|no such|invalid|non existent|
    bad) (person|alias), no such user or domain, nosuchuser,
    (user|recipient) not ok, no local (user|mailbox), no email account, no valid recipient,
    no matching recipient, user not local,
    not local user, recipient (verify|verification) failed, recipient cannot be verified,
    no (account|recipient|user|mailbox|mail box|alias) (by|with|under|here|of|named|for|at|on|found|available),
    (cannot|could not|can t|couldn t|unable to) (find|locate) (a |the |that |alias |)(user|mailbox|recipient|account|alias),
    recipient no longer on, (not a|not|no) user (here|of this), not a member of domain, we have no (mailbox|account|user),
    recipient not in .. (list|directory), user not a member, not in the valid recipients list,
    (doesn t|does not) have .. (account|mailbox), (user|recipient) email address is marked as invalid,
    not an active (mailbox|account|user),
    (doesn t|does not) handle mail for (that|this) (user|address|recipient),
    not a valid (recipient|mailbox|user), bad destination (mailbox|address)*,
    unknown local part, unknown or illegal alias, unknown in local recipient table,
    unknown in (virtual|relay)*, not our (customer|user), not a known user, not a registered (gateway |
    )(user|recipient|mailbox), no one here by that name, not a customer,
    benutzer nicht bekannt, unbekannter benutzer, unbekannter empf*,
    kein postfach, utilisateur inconnu, destinataire inconnu, destinataire invalide,
    compte inconnu, compte inexistant, usuario desconocido, usuario no encontrado, destinatario desconocido,
    utente sconosciuto, destinatario sconosciuto,
    nessun utente, destinatario (errato|incorrecto|invalido|no valido), usuario desconhecido,
    usuario inexistente, destinatario desconhecido, nie ma takiego, brak uzytkownika, brak takiego,
    nieznany odbiorca, nieznany uzytkownik, nieznany użytkownik, onbekende gebruiker,
    gebruiker onbekend, onbekende ontvanger, kullanici bulunamadi, kullanıcı bulunamadı, нет такого,
    пользователь не найден, 用户不存在, 收件人不存在, 邮箱不存在, 账号不存在, 无此用户, 宛先不明`,
}

/** The same of an address or an e-mail, which may stand in the message or be the message. */
export const ADDRESS_NOT_FOUND: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'address',
  notSubject: SENDERS,
  phrases: `
    address (is |)(unknown|invalid), address (is |)not (known|found|valid|present|exist*), (unknown|no such|
    invalid|non existent|bad) (address|email*|e mail*), not an active address, not a valid (address|email*),
    (unrouteable|unroutable|undeliverable) address, not a registered (gateway |)address,
    email* ... (does not exist|doesn t exist|not found|not be found|couldn t be found),
    adresse unbekannt, unbekannte adresse, adresse inconnue, indirizzo sconosciuto, indirizzo errato,
    nieznany adres, 地址不存在`,
}

export const DOMAIN: ReplyRule = {
  category: 'domain_invalid',
  evidence: 'address',
  notSubject: SENDERS,
  phrases: `
    domain not found, domain ... not found, (unknown|invalid|no such) domain, domain (unknown|invalid|
    not exist*|not hosted|not local|not served), no domain, bad destination system, domain is not reachable,
    domain not reachable, host does not accept mail, domain ... does not exist, domain doesn t exist,
    domain is not hosted, domain ... (not hosted here|disabled|suspended|expired), domain has no mail*,
    domain does not accept*, domain ... does not accept mail, not a local domain, not our domain,
    (do|does) not handle mail for, do not accept mail for this domain, host unknown, unknown host,
    host not found, no such host, (unrouteable|unroutable) (mail |)domain, null mx, nullmx, no mx,
    all relevant mx records, domaine inconnu, domaine inexistant, domain unbekannt, dominio ... no existe,
    dominio inesistente`,
}

/** The host does not answer for the domain, or not to us; its word on the mailbox is not knowledge. */
export const RELAY: ReplyRule = {
  category: 'policy',
  about: 'destination',
  phrases: `
    relay access denied, (relay|relaying) denied, relaying, relay not *,
    (not|unable to|cannot|can t|don t) relay, (permitted|allowed) to relay, relay ... prohibited, no relay*,
    open relay, rcpthosts, local user only, not a gateway, relaisation`,
}

/** Read after the phrases of the domain, which would fit into these gaps. */
export const NOT_FOUND_LOOSELY: ReplyRule = {
  category: 'mailbox_not_found',
  evidence: 'words',
  notSubject: SENDERS,
  phrases: `
    no such (local|virtual|id), recipient address syntax, mailbox name, unknown local, no longer on,
    not known here, not known at this*, does not (live|work) here, no longer exist*, isn t on this, nobody here,
    존재하지, 見つかりません,
    ${WHO} ... ${IS_UNKNOWN}, ${UNKNOWN} .. ${WHO}, does not exist, doesn t exist, doesnt exist,
    do not exist, not exist*, nonexistent*, not here, no (account|recipient|user|mailbox|mail box),
    not a (mailbox|user|recipient), not one of ours, (user|recipient|mailbox|address) .. not configured,
    (user|recipient|mailbox|address) not in .. directory, no such, no one, nobody, not user of,
    not in .. (recipient|recipients) list, not found in ldap, wrong recipients, could not be found, couldn t be found, could not be located,
    left the (company|organi*), don t know .. user, inexistent, (doesn t|not) have .. (account|mailbox),
    benutzer ... unbekannt,
    empfanger ... unbekannt, empfaenger ... unbekannt, existiert .. nicht, nicht bekannt, adresse ... invalide,
    boite ... inconnue, n existe pas, inexistant*, inexistente*, usuario ... no existe, buzon ... no existe,
    no existe, utente ... non trovato, casella ... non trovata, inesistente, non esiste, nao existe,
    nao encontrad*, nie istnieje, neexistuje, neznamy*, bestaat niet, okand*, finns inte, findes ikke,
    ukendt*, не существует, не найден*, неизвестный*, 找不到, 不存在, 存在しません`,
}
