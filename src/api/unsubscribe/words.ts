// Texts of the unsubscribe page in ten languages.

/** Sentences in one language, with the placeholders `{address}`, `{stream}` and `{domain}` (the name of the sender). */
export interface Words {
  readonly title: string
  /** Question to the recipient before unsubscribing. */
  readonly question: string
  readonly button: string
  readonly done: string
  /** Question whether unsubscribing was a mistake, above the button that reverts the change. */
  readonly mistake: string
  readonly undo: string
  readonly undone: string
  readonly unknown: string
  /** Title of the page after unsubscribing. */
  readonly left: string
  /** Heading above the list of the sender's streams. */
  readonly choice: string
  readonly save: string
  readonly saved: string
}

export const WORDS = {
  en: {
    title: 'Unsubscribe',
    question: 'Stop sending “{stream}” from {domain} to {address}?',
    button: 'Unsubscribe',
    done: '{address} no longer receives “{stream}” from {domain}.',
    mistake: 'Was that a mistake?',
    undo: 'Subscribe again',
    undone: '{address} receives “{stream}” from {domain} again.',
    unknown: 'This link is not valid. Please use the link exactly as it appears in the email.',
    left: 'Unsubscribed',
    choice: 'Choose what you receive from {domain}',
    save: 'Save',
    saved: 'Your choice has been saved.',
  },
  de: {
    title: 'Abmelden',
    question: '„{stream}“ von {domain} nicht mehr an {address} senden?',
    button: 'Abmelden',
    done: '{address} erhält „{stream}“ von {domain} nicht mehr.',
    mistake: 'War das ein Versehen?',
    undo: 'Wieder anmelden',
    undone: '{address} erhält „{stream}“ von {domain} wieder.',
    unknown: 'Dieser Link ist ungültig. Bitte verwenden Sie den Link genau so, wie er in der E-Mail steht.',
    left: 'Abgemeldet',
    choice: 'Wählen Sie aus, was Sie von {domain} erhalten',
    save: 'Speichern',
    saved: 'Ihre Auswahl wurde gespeichert.',
  },
  fr: {
    title: 'Se désabonner',
    question: 'Ne plus envoyer « {stream} » de {domain} à {address} ?',
    button: 'Se désabonner',
    done: '{address} ne recevra plus « {stream} » de {domain}.',
    mistake: 'Était-ce une erreur ?',
    undo: 'Se réabonner',
    undone: '{address} recevra à nouveau « {stream} » de {domain}.',
    unknown: 'Ce lien n’est pas valable. Veuillez utiliser le lien tel qu’il figure dans l’e-mail.',
    left: 'Désabonnement effectué',
    choice: 'Choisissez ce que vous recevez de {domain}',
    save: 'Enregistrer',
    saved: 'Votre choix a été enregistré.',
  },
  es: {
    title: 'Cancelar la suscripción',
    question: '¿Dejar de enviar «{stream}» de {domain} a {address}?',
    button: 'Cancelar la suscripción',
    done: '{address} ya no recibirá «{stream}» de {domain}.',
    mistake: '¿Ha sido un error?',
    undo: 'Volver a suscribirse',
    undone: '{address} recibirá de nuevo «{stream}» de {domain}.',
    unknown: 'Este enlace no es válido. Use el enlace tal como aparece en el correo.',
    left: 'Suscripción cancelada',
    choice: 'Elija qué recibe de {domain}',
    save: 'Guardar',
    saved: 'Su elección se ha guardado.',
  },
  pt: {
    title: 'Cancelar a inscrição',
    question: 'Parar de enviar “{stream}” de {domain} para {address}?',
    button: 'Cancelar a inscrição',
    done: '{address} não receberá mais “{stream}” de {domain}.',
    mistake: 'Foi um engano?',
    undo: 'Inscrever novamente',
    undone: '{address} voltará a receber “{stream}” de {domain}.',
    unknown: 'Este link não é válido. Use o link tal como está no e-mail.',
    left: 'Inscrição cancelada',
    choice: 'Escolha o que recebe de {domain}',
    save: 'Salvar',
    saved: 'Sua escolha foi salva.',
  },
  it: {
    title: 'Annulla l’iscrizione',
    question: 'Smettere di inviare «{stream}» da {domain} a {address}?',
    button: 'Annulla l’iscrizione',
    done: '{address} non riceverà più «{stream}» da {domain}.',
    mistake: 'È stato un errore?',
    undo: 'Iscriviti di nuovo',
    undone: '{address} riceverà di nuovo «{stream}» da {domain}.',
    unknown: 'Questo link non è valido. Usa il link così come si trova nell’e-mail.',
    left: 'Iscrizione annullata',
    choice: 'Scegli cosa ricevere da {domain}',
    save: 'Salva',
    saved: 'La tua scelta è stata salvata.',
  },
  nl: {
    title: 'Afmelden',
    question: '“{stream}” van {domain} niet meer naar {address} sturen?',
    button: 'Afmelden',
    done: '{address} krijgt “{stream}” van {domain} niet meer.',
    mistake: 'Was dat een vergissing?',
    undo: 'Opnieuw aanmelden',
    undone: '{address} krijgt “{stream}” van {domain} weer.',
    unknown: 'Deze link is niet geldig. Gebruik de link zoals die in de e-mail staat.',
    left: 'Afgemeld',
    choice: 'Kies wat u van {domain} krijgt',
    save: 'Opslaan',
    saved: 'Uw keuze is opgeslagen.',
  },
  pl: {
    title: 'Wypisz się',
    question: 'Czy przestać wysyłać „{stream}” od {domain} na adres {address}?',
    button: 'Wypisz się',
    done: '{address} nie będzie już otrzymywać „{stream}” od {domain}.',
    mistake: 'Czy to była pomyłka?',
    undo: 'Zapisz się ponownie',
    undone: '{address} będzie znów otrzymywać „{stream}” od {domain}.',
    unknown: 'Ten link jest nieprawidłowy. Użyj linku dokładnie tak, jak jest w wiadomości.',
    left: 'Wypisano',
    choice: 'Wybierz, co otrzymujesz od {domain}',
    save: 'Zapisz',
    saved: 'Wybór został zapisany.',
  },
  ja: {
    title: '配信停止',
    question: '{domain} からの「{stream}」の {address} への配信を停止しますか。',
    button: '配信を停止する',
    done: '{domain} からの「{stream}」は {address} に配信されなくなりました。',
    mistake: '間違えましたか。',
    undo: '配信を再開する',
    undone: '{domain} からの「{stream}」は再び {address} に配信されます。',
    unknown: 'このリンクは無効です。メールにあるリンクをそのままお使いください。',
    left: '配信を停止しました',
    choice: '{domain} から受け取るメールを選ぶ',
    save: '保存する',
    saved: '選択を保存しました。',
  },
  zh: {
    title: '退订',
    question: '停止向 {address} 发送 {domain} 的“{stream}”？',
    button: '退订',
    done: '{address} 将不再收到 {domain} 的“{stream}”。',
    mistake: '操作有误？',
    undo: '重新订阅',
    undone: '{address} 将重新收到 {domain} 的“{stream}”。',
    unknown: '此链接无效。请使用邮件中的原始链接。',
    left: '已退订',
    choice: '选择您要接收的 {domain} 邮件',
    save: '保存',
    saved: '您的选择已保存。',
  },
} as const satisfies Record<string, Words>

export type Language = keyof typeof WORDS

/** Languages of the unsubscribe page. */
export const LANGUAGES: ReadonlySet<Language> = new Set(Object.keys(WORDS) as Language[])
