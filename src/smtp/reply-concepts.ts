// Scores a reply by its concepts: words for a mailbox and for its absence in one clause, in any language and word
// order, against words that leave the mailbox in doubt. The tables are the place for a new word or language.

import { plain } from './reply-text.ts'

/**
 * Concept of a word. `box`: a mailbox or its owner; `address`: an address, or an e-mail; `missing`: says by itself that
 * something does not exist; `closed`: says by itself that something is no longer in use; `not`: a negation; `none`: a
 * negation before a noun; `there`: says, near a negation, that something does not exist or is not in use; `guard`: a
 * subject or a reason that leaves the mailbox in doubt, such as a rule, a list, a size or a passing state.
 */
type Concept = 'box' | 'address' | 'missing' | 'closed' | 'not' | 'none' | 'there' | 'guard'

/**
 * Words of each concept, by language, as plain words (lower case, without accents). `*` after a word stands for any
 * further letters. A word may stand under several concepts.
 */
const WORDS: Readonly<Record<string, Readonly<Partial<Record<Concept, string>>>>> = {
  'before a noun, in all languages': {
    none: `no kein* aucun* ningun* nenhum* nessun* alcun* geen zero brak zaden zadna zadny zadne ziadn* ingen inget
      inga intet nincs* niciun* nicio нет нету нема няма немає nema nav nera pole cap sem sin`,
  },
  english: {
    box: `mailbox* inbox* mbox maildir* maildrop* account* acct user users userid* username* useraccount* recipient*
      rcpt* receiver* addressee* alias* customer* subscriber* person member* employee* student* owner* local-part
      localpart* entry mailuser* emailaccount* mailname* nosuchuser* correspondent*`,
    address: 'address* email* mailaddress* emailaddress*',
    missing: `unknown* unkown* unrecogni* unregistered unassigned nonexist* inexist* nosuch* invalid* incorrect wrong
      bogus illegal mistyped misspel* undeliverable unroutable unrouteable unresolvable unresolved absent missing
      vacant undefined`,
    closed: `disabled deactivat* inactiv* suspended terminated closed cancel* deleted removed expired retired
      discontinued dormant frozen locked abandoned defunct obsolete dead gone moved archived decommission* purged
      revoked lapsed departed left resigned deceased quit unused parked hangup ceased changed went away disconnected
      switched asleep`,
    not: `not no never cannot can don doesn dosn isn wasn aren weren hasn haven hadn didn won wouldn couldn without
      none nor neither nobody noone unable failed fails longer`,
    there: `exist* found find locat* known know knows recogni* valid* register* active activat* hosted local present
      listed configured deliverable served serves serviced service associat* assigned match* defined enabled
      provision* resid* belong* lives live works working employed ours handle* identif* resolv* using monitored among
      heard keep have list directory table mapped subscribed appear* specify registered`,
    guard: `sender* spam* polic* reputation* relay* blacklist* blocklist* authenticat* authori* permission* permit*
      quota* full exceed* limit* size space storage rate throttl* many temporar* later again retry moment busy
      greylist* graylist* dns mx ptr spf dkim dmarc ip ip4 hostname helo ehlo tls ssl starttls certificate* encrypt*
      content* virus* attachment* header* parameter* ldap lookup timeout timed connect* network loop* hop hops
      moderat* restrict* external outside private whitelist* allowlist* callout gateway forgery forged unsolicited
      bulk suspicious backend filter* signature* tenant* unverified process another procmail output`,
  },
  german: {
    box: `benutzer* nutzer* anwender* empfanger* empfaenger* postfach* postfacher mailbox* konto* mailkonto* kunde*
      teilnehmer* adressat* mitarbeiter* mitglied* person* briefkasten* inhaber* kennung*`,
    address: 'adresse* mailadresse* emailadresse* zieladresse* empfangeradresse* anschrift*',
    missing: 'unbekannt* ungultig* ungueltig* falsch* fehlerhaft* unzustellbar* nichtexist*',
    closed: `gesperrt* deaktiviert* geschlossen* geloscht* geloescht* abgeschaltet* stillgelegt* inaktiv* gekundigt*
      gekuendigt* aufgelost* abgemeldet* eingestellt* entfernt* erloschen* abgelaufen* verzogen* ausgeschieden*
      verlassen* beendet* aufgegeben* archiviert* verstorben*`,
    not: 'nicht kein* keine keiner keinen nie niemals niemand ohne',
    there: `existier* bekannt* gefunden* vorhanden* verfugbar* verfuegbar* registriert* eingerichtet* gultig*
      gueltig* aktiv* auffindbar* angelegt* zustellbar* erreichbar* gibt vergeben* zugeordnet* ermittel* finden
      kennen kennt kenne besteht hinterlegt* genutzt* verwendet* besitzt konfiguriert* freigeschaltet* auflosbar*`,
    guard: `absender* richtlinie* quote* voll* speicher* uberschritten* ueberschritten* zu viele grosse
      vorubergehend* voruebergehend* spater spaeter erneut sperrliste* blacklist berechtig* erlaubt* anmeld*
      authentifiz* limit* zertifikat* inhalt* anhang* verteiler* gruppe* extern*`,
  },
  french: {
    box: `utilisateur* destinataire* compte* boite* bal abonne* usager* titulaire* messagerie correspondant* personne
      client* membre* beneficiaire* casier*`,
    address: 'adresse* courriel* email* mail',
    missing: 'inconnu* inexistant* invalide* introuvable* erron* incorrect* mauvais*',
    closed: `desactive* suspendu* ferme* supprime* cloture* inactif* inactive* resilie* bloque* expire* efface*
      archive* annule* verrouille* quitte* abandonne* radie* obsolete* perime*`,
    not: 'pas plus non aucun* ne n jamais ni personne sans impossible nul*',
    there: `exist* trouv* connu* connait connais* valid* valable* disponible* repertorie* enregistre* actif* active*
      attribue* referenc* reconnu* joignable* defini* utilise* travaill* service localis* identifi* declare* cree*`,
    guard: `expediteur* emetteur* quota plein* satur* depasse* espace taille politique* refus* droit* autoris*
      authentif* relais temporaire* tard reessay* contenu* piece*`,
  },
  spanish: {
    box: `usuari* destinatari* cuenta* buzon* casilla* titular* persona* cliente* empleado* abonado* receptor* alumn*
      casillero*`,
    address: 'direccion* correo* email* mail',
    missing: 'desconocid* inexistent* invalid* erron* incorrect* equivocad*',
    closed: `desactivad* deshabilitad* inhabilitad* suspendid* cerr* cancelad* eliminad* borrad* inactiv* caducad*
      expirad* bloquead* baja anulad* suprimid* archivad* vencid* desvinculad*`,
    not: 'no ningun* nunca ya sin nadie ni imposible tampoco jamas',
    there: `exist* encontr* encuentra* valid* disponible* registrad* conocid* conoce* activ* habilitad* localiz*
      hallad* dispon* vigente* reconocid* asignad* pertenece* corresponde* identific* figura* hay trabaja* labora*
      asociad* configurad* ubicad*`,
    guard: `remitente* emisor* cuota* llen* espacio limite* excedid* superad* politica* permis* autoriz* autentic*
      temporal* despues tarde intente contenido* relay`,
  },
  portuguese: {
    box: 'usuari* utilizador* destinatari* conta* caixa* pessoa* cliente* funcionari* assinante* titular*',
    address: 'endereco* email* correio',
    missing: 'desconhecid* inexistent* invalid* incorret* errad*',
    closed: `desativad* desactivad* desabilitad* suspens* encerrad* cancelad* excluid* bloquead* inativ* inactiv*
      removid* apagad* expirad* eliminad* vencid* demitid* desligad* fechad*`,
    not: 'nao nenhum* nunca ja sem ninguem',
    there: `exist* encontrad* encontrar localizad* valid* disponivel* indisponivel* cadastrad* registad* registrad*
      conhec* ativ* reconhecid* pertenc* atribuid* habilitad* trabalha* ha`,
    guard: `remetente* cota quota chei* lotad* espaco limite* excedid* politica* permit* permiss* autoriz* autentic*
      temporari* tarde novamente conteudo*`,
  },
  italian: {
    box: 'utent* destinatari* casell* account* conto cliente* titolar* person* intestatari* abbonat* dipendent*',
    address: 'indirizz* email* mail posta',
    missing: 'sconosciut* inesistent* invalid* errat* scorrett*',
    closed: `disattivat* disabilitat* sospes* chius* cancellat* eliminat* inattiv* cessat* rimoss* scadut* dismess*
      bloccat* soppress* disdett* lasciat* inutilizz*`,
    not: 'non nessun* mai piu senza nessuno ne alcun*',
    there: `esist* trovat* trovar* valid* attiv* conosc* disponibil* registrat* riconosciut* presente risult*
      raggiungibil* abilitat* assegnat* lavora* rintracciat* configurat* previst* associat* corrisponde*`,
    guard: `mittent* quota pien* spazio limit* superat* policy politic* permess* autorizz* autentic* temporane* tardi
      riprov* contenut*`,
  },
  catalan: {
    box: 'usuari* destinatari* bustia compte*',
    address: 'adreca* correu*',
    missing: 'desconegu* inexistent* invalid* incorrect*',
    closed: 'desactivad* tancad* suspes* eliminad* inactiv* suprimi* cancel*',
    not: 'no cap mai sense',
    there: 'exist* trob* conegu* valid* registr* activ* disponible*',
    guard: 'remitent* quota ple* domini*',
  },
  romanian: {
    box: 'utilizator* destinatar* cont contul* casut* cutia* abonat* persoan*',
    address: 'adres* email*',
    missing: 'necunoscut* inexistent* invalid* gresit* incorect*',
    closed: 'dezactivat* inchis* suspendat* sters* desfiintat* inactiv* blocat* expirat* anulat* eliminat*',
    not: 'nu niciun* nici fara',
    there: 'exist* gasit* cunoscut* valid* inregistrat* activ* disponibil* recunoscut*',
    guard: 'expeditor* cota plin* spatiu limit* temporar*',
  },
  dutch: {
    box: 'gebruiker* ontvanger* mailbox* postbus* postvak* account* geadresseerde* klant* persoon medewerker* abonnee*',
    address: 'adres* emailadres* mailadres*',
    missing: 'onbekend* ongeldig* onjuist* onbestelbaar* foutief* verkeerd*',
    closed: `opgeheven uitgeschakeld* gedeactiveerd* geblokkeerd* verwijderd* gesloten beeindigd* opgezegd* inactief*
      verlopen vervallen afgesloten gewist vertrokken afgemeld stopgezet`,
    not: 'niet geen nooit niemand zonder',
    there: `bestaat bestaan* gevonden bekend* geldig* beschikbaar* geregistreerd* actief* bereikbaar* gekend herkend*
      aanwezig toegewezen gebruik* kennen bezorgd*`,
    guard: 'afzender* quotum vol limiet* ruimte beleid toegestaan tijdelijk* later opnieuw inhoud',
  },
  polish: {
    box: 'uzytkownik* odbiorc* adresat* skrzynk* kont* klient* osob* abonent* wlasciciel* pracownik*',
    address: 'adres* email*',
    missing: 'nieznan* nieprawidlow* niepoprawn* bledn* nieistniej* niewlasciw*',
    closed: `zablokowan* nieaktywn* usuniet* zamkniet* zawieszon* wylaczon* zlikwidowan* skasowan* dezaktywowan*
      wygas* zwolnion* odszedl odeszla`,
    not: 'nie brak zadn* nigdy nikt bez juz',
    there: `istnie* znalez* znan* zarejestrowan* aktywn* dostepn* odnalez* prawidlow* poprawn* pracuje* obslugiwan*
      przypisan* takiej takiego`,
    guard:
      'nadawc* limit* peln* przepelnion* przekroczon* miejsc* polityk* chwilow* tymczas* pozniej ponownie',
  },
  'czech, slovak': {
    box: 'uzivatel* pouzivatel* prijemc* adresat* schrank* ucet ucty uctu konto klient* osob*',
    address: 'adres* email*',
    missing: 'neznam* neexist* neplatn* nespravn* chybn* nedoruciteln*',
    closed: `zrusen* zablokovan* neaktivn* deaktivovan* smazan* zmazan* uzavren* pozastaven* vypnut* odstranen*
      ukoncen*`,
    not: 'ne nie neni nebyl* nebol* nelze nema* zadn* ziadn* nikdo nikto bez',
    there: `existuj* nalezen* najden* znam* platn* registrovan* aktivn* dostupn* evidovan* nenalezen* nenasl*
      nenasiel*`,
    guard: 'odesilatel* odosielatel* kvot* pln* preplnen* limit* misto docasn* pozdeji znovu politik*',
  },
  hungarian: {
    box: 'felhasznalo* cimzett* postafiok* postalada* fiok* szemely*',
    address: 'cim cime cimen cimet emailcim*',
    missing: 'ismeretlen* ervenytelen* hibas* helytelen* nemletezo',
    closed:
      'megszunt* torolt* torolve* zarolt* zarolva* letiltott* letiltva* inaktiv* felfuggeszt* lezart* bezart*',
    not: 'nem nincs nincsen sem senki nelkul',
    there: 'letez* talal* ismert* ervenyes* regisztral* aktiv* elerheto* ilyen',
    guard: 'felado* kvota* megtelt tele hely ideiglenes* kesobb',
  },
  'swedish, danish, norwegian': {
    box: `anvandar* brugere* bruger* bruker* mottagar* modtager* mottaker* konto* kontot brevlad* postkass* postboks*
      innboks* inkorg* indbakke* person* kund*`,
    address: 'adress* mailadress* epostadress* epost* mail email*',
    missing: 'okand* ukendt* ukjent* ogiltig* ugyldig* felaktig* forkert* feil obekant*',
    closed: `avslut* stangd* stangt avstangd* avstangt inaktiv* sparrad* sparrat sparret* sperret* deaktiver*
      nedlagt* nedlagd* lukket* slettet* raderad* raderats borttag* stengt* ophort* opphort* suspender* sluttet
      slutat fjernet uppsag* oppsag* opsag*`,
    not: 'inte ikke ej aldrig aldri ingen inget inga intet saknas utan uden uten',
    there: `finns findes finnes hittad* hittas hittades fundet funnet kand* kend* kjent* giltig* gyldig* registrer*
      aktiv* tillganglig* tilgaengelig* tilgjengelig* eksister* exister* langre laengere lenger fanns oppna* anvands
      bruges brukes`,
    guard: `avsandar* avsender* afsender* full* kvot* granse* grense* plads plats tillfallig* midlertidig* senere
      senare`,
  },
  finnish: {
    box: 'kayttaja* vastaanottaja* postilaatik* tili tilia tilin tunnus* henkilo*',
    address: 'osoit* sahkopost*',
    missing: 'tuntematon* tuntemattom* virheelli* olematon*',
    closed: 'suljet* poistet* lakkautet* lukit* paattyn* vanhentun* passiiv*',
    not: 'ei eika eivat eipa ilman',
    there: 'ole olemassa loydy* loyty* tunnet* tunne kelvolli* voimassa kaytos* rekistero* enaa',
    guard: 'lahettaja* taynna kiintio* tilapai* valiaikai* myohemmin',
  },
  'estonian, latvian, lithuanian': {
    box: 'kasutaja* saaja* postkast* konto* lietotaj* sanemej* pastkast* konts vartotoj* gavej* paskyr* dezut* dezute*',
    address: 'aadress* adres* epost* pasta',
    missing: 'tundmatu* vigane nezinam* nepareiz* nezinom* neteising* neegzistuoj* neeksist* negalioj*',
    closed: 'suletud* kustutat* blokeerit* slegt* dzest* bloket* isjungt* panaikint* uzblokuot* uzdaryt*',
    not: 'ei pole nav ne nera',
    there: 'leitud* eksisteer* olemas atrast* eksist* rast* egzistuoj* zinam* zinom* kehti* derig*',
    guard: 'saatja* sutitaj* siuntej* tais pilns perpild* kvoot* kvota* laikin* ajuti*',
  },
  'croatian, serbian, slovene': {
    box: `korisnik* primatelj* primala* primaoc* sanduc* pretin* nalog* racun* uporabnik* prejemnik* naslovnik*
      predal* osob* oseb*`,
    address: 'adres* naslov*',
    missing: 'nepoznat* nepostoj* neispravn* nevazec* pogresn* neznan* neveljav* neobstoj* napacn*',
    closed: `ukinut* obrisan* onemogucen* deaktiviran* zatvoren* blokiran* suspendovan* izbrisan* ukinjen* zaprt*
      onemogocen* neaktivn*`,
    not: 'ne nije nema ni nisu nikad nikada nitko niko nihce',
    there:
      'postoj* pronad* pronadj* pronaden* obstaj* najden* nadjen* poznat* znan* vazec* veljav* registr* aktiv* ',
    guard: 'posiljatelj* posiljalac* posiljaoc* pun puna poln* kvot* kasnij* privremen* zacasn*',
  },
  'russian, ukrainian, bulgarian, macedonian, serbian': {
    box: `пользовател* получател* адресат* ящик* аккаунт* учетн* запис* абонент* владел* клиент* сотрудник*
      користувач* одержувач* отримувач* скриньк* потребител* кутия* сметка* корисник* корисници* примач* примаоц*
      прималац* сандуче* налог* человек*`,
    address: 'адрес* почт* пошт* емаил* email*',
    missing: `неизвестн* несуществ* неверн* недеиств* невідом* неіснуюч* неправильн* ошибочн* непознат* непостое*
      непостој* невалид* несъществ* некорректн*`,
    closed: `удален* отключен* заблокирован* закрыт* приостановлен* заморожен* неактив* деактивир* ликвидирован*
      видален* вимкнен* заблокован* закрит* изтрит* уволен* снят* прекращен* истек* упразднен* выбыл* аннулирован*
      блокир*`,
    not: 'не нет нету ни никогда немає нема няма није без отсутств* больше',
    there: `существ* наиден* наидено обнаруж* зарегистр* известен известн* активен активн* действител* деиствител*
      доступ* знаиден* існує існу* намерен* познат* съществ* постои постоји пронаден* пронађен* работает
      используется* обслуживается*`,
    guard: `отправител* відправник* подател* испраќач* переполн* переповн* квот* полон полна лимит* превыш* превышен*
      места политик* спам* временн* тимчасов* позже позднее повтор* соединен* подключен*`,
  },
  turkish: {
    box: 'kullanici* alici* hesap* hesab* kutu* kisi* musteri* uye* sahib*',
    address: 'adres* eposta* posta mail*',
    missing:
      'bilinmeyen* bilinmiyor* gecersiz* bulunamad* bulunmu* bulunmama* yok yoktur hatali* tanimsiz* tanimiyor*',
    closed:
      'kapali* kapatil* kapatild* askiya silin* silinmis* devre pasif* iptal* kullanilmi* kullanilma* ayril*',
    not: 'degil degildir hic yok',
    there: 'mevcut* kayitli* gecerli* tanimli* aktif* bulun* ',
    guard: 'gonderen* gonderici* dolu doldu kota* gecici* sonra tekrar izin*',
  },
  greek: {
    box: 'χρηστη* παραληπτ* λογαριασμ* γραμματοκιβωτι* θυριδ*',
    address: 'διευθυνσ*',
    missing: 'αγνωστ* ανυπαρκτ* ακυρ* λανθασμεν* εσφαλμεν*',
    closed: 'απενεργοποι* κλειστ* ανενεργ* διαγραφ* διεγραφ* καταργ* ανασταλ*',
    not: 'δεν μη μην χωρις',
    there: 'υπαρχ* βρεθηκ* βρισκ* γνωστ* εγκυρ* ενεργ* καταχωρ* διαθεσιμ*',
    guard: 'αποστολε* γεματ* οριο προσωριν* αργοτερα',
  },
  hebrew: {
    box: 'משתמש המשתמש נמען הנמען תיבה תיבת התיבה חשבון החשבון',
    address: 'כתובת הכתובת דואר',
    missing: 'שגוי שגויה שגוייה',
    closed: 'סגור סגורה מושבת מושבתת נמחק נמחקה חסום חסומה מושעה',
    not: 'לא אינו אינה אין',
    there: 'קיים קיימת נמצא נמצאה מוכר מוכרת פעיל פעילה רשום תקין תקינה',
    guard: 'השולח שולח מלאה מלא זמנית מאוחר',
  },
  'arabic, persian': {
    box: 'المستخدم مستخدم المستلم مستلم الحساب حساب صندوق الصندوق المستقبل کاربر گیرنده صندوق',
    address: 'العنوان عنوان البريد بريد آدرس ادرس ایمیل',
    missing: 'مجهول خاطئ ناشناس ناشناخته نامعتبر اشتباه',
    closed: 'معطل مغلق محذوف موقوف غيرنشط محظور غیرفعال مسدود بسته',
    not: 'غير لا ليس لم نیست نشد غیر لن ليست',
    there: 'یافت موجود موجودة معروف معروفة صالح صالحة يوجد توجد نشط فعال وجود ندارد معتبر يتم العثور',
    guard: 'المرسل مرسل ممتلئ ممتلئة حصة مؤقت مؤقتا لاحقا فرستنده',
  },
  'indonesian, malay, vietnamese': {
    box: 'pengguna penerima akun kotak nguoi tai hop',
    address: 'alamat surel emel email dia thu',
    missing: 'salah',
    closed: 'dinonaktif* nonaktif ditutup dihapus diblokir ditangguhkan dibekukan vo khoa',
    not: 'tidak tak belum bukan khong chua',
    there:
      'ditemu* ada dikenal* terdaftar valid aktif wujud dijumpai tersedia sah ton biet hop dung tim hoat',
    guard: 'pengirim penuh kuota sementara lagi gui day',
  },
}

/** Signs of each concept in scripts without spaces, or with endings on every word; the word order does not matter. */
const SIGNS: Readonly<Partial<Record<Concept, string>>> = {
  box: `用户 用戶 收件人 收信人 收件者 邮箱 郵箱 信箱 账号 帐号 帳號 账户 帐户 帳戶 使用者 联系人 接收人 收件地址 目标用户 户名 此人 ユーザ 利用者 宛先 あて先 受信者 受取人 メールボックス アカウント
    会員 加入者 사용자 수신자 수신인 받는사람 계정 메일함 사서함 편지함 회원 ผู้ใช้ ผู้รับ บัญชี กล่อง`,
  address: '地址 邮件地址 電子郵件 アドレス 주소 ที่อยู่ อีเมล 이메일',
  missing: `不存在 不可用 未知 无效 無效 无此 無此 查无 查無 找不到 未找到 没有找到 没有此 沒有此 没有这个 沒有這個 不正确 错误 不详 未注册 未註冊 未开通 不明 存在しま 存在しない 見つかりま
    ございません ありません おりません 使われていません 無効 不正 存在せず 見当たりません 존재하지 없는 없습니다 없음 찾을수없 알수없 잘못된 유효하지 등록되지 미등록 ไม่พบ ไม่มี ไม่รู้จัก
    ไม่ถูกต้อง`,
  closed: `停用 禁用 冻结 凍結 注销 註銷 锁定 鎖定 关闭 關閉 过期 過期 休眠 删除 刪除 取消 离职 離職 停机 失效 作废 销户 停止 解約 廃止 削除 閉鎖 退会 退職 休止 期限切れ 삭제 정지 휴면
    비활성 폐쇄 탈퇴 해지 차단된계정 ถูกปิด ระงับ ถูกลบ ยกเลิก`,
  guard: `发件 發件 寄件 寄信 发信 發信 送信 差出 发送者 发送人 您的 您 貴 お客 满 滿 已满 超限 超出 容量 空间 空間 不足 いっぱい 満杯 超過 上限 频率 频繁 黑名单 黑名單 垃圾 拒收 拒绝 拒絕
    策略 规则 暂时 暫時 稍后 稍後 一時 内容 附件 病毒 스팸 발신 보낸 가득 초과 용량 일시 차단 정책 ผู้ส่ง เต็ม ชั่วคราว`,
}

/** Number of first letters by which the words are indexed. */
const INDEX_LETTERS = 3

/** A word, or its beginning, with its concepts. */
interface ConceptWord {
  readonly word: string
  readonly openEnded: boolean
  readonly concepts: readonly Concept[]
}

const list = (text: string): string[] => text.trim().split(/\s+/)

/** Words of all languages, by their first letters; a word of fewer letters stands under the whole word. */
const CONCEPT_WORDS: ReadonlyMap<string, readonly ConceptWord[]> = indexed()

function indexed(): Map<string, ConceptWord[]> {
  const concepts = new Map<string, Concept[]>()
  for (const language of Object.values(WORDS)) {
    for (const [concept, words] of Object.entries(language)) {
      for (const written of list(words)) {
        const key = `${plain(written).replaceAll(' ', '')}${written.endsWith('*') ? '*' : ''}`
        const known = concepts.get(key)
        if (known === undefined) concepts.set(key, [concept as Concept])
        else if (!known.includes(concept as Concept)) known.push(concept as Concept)
      }
    }
  }
  const index = new Map<string, ConceptWord[]>()
  for (const [key, of] of concepts) {
    const word = key.replace('*', '')
    const at = word.slice(0, INDEX_LETTERS)
    const entry = { word, openEnded: key.endsWith('*'), concepts: of }
    const known = index.get(at)
    if (known === undefined) index.set(at, [entry])
    else known.push(entry)
  }
  return index
}

/** Signs of each concept, as plain text without spaces. */
const CONCEPT_SIGNS: readonly (readonly [Concept, readonly string[]])[] = Object.entries(SIGNS).map(
  ([concept, signs]) => [concept as Concept, list(signs).map((sign) => plain(sign).replaceAll(' ', ''))],
)

/** State of a mailbox that a reply speaks of. */
export type SpokenState = 'mailbox_not_found' | 'mailbox_disabled' | undefined

/** Score from which a reply counts as one about a missing or closed mailbox. */
const ENOUGH = 4
/** Points for a word of the mailbox in the clause of the state, and elsewhere in the reply. */
const SUBJECT = 2
const SUBJECT_ELSEWHERE = 1
/** Points for a state: missing, closed, or a negation near a word of existence. */
const STATE = 2
/** Points against, for each clause that names a doubt: in the clause of the state, and elsewhere. */
const DOUBT = -2
const DOUBT_ELSEWHERE = -1
/** Maximum number of words between a negation and the word that it negates. */
const REACH = 3
/** Maximum number of clauses, and of words of a clause, that are read. */
const MAX_CLAUSES = 12
const MAX_WORDS = 40

/** Scripts whose words are read as signs. */
const SIGN_SCRIPTS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u

/**
 * Points of the prefixes of an enhanced code, without its class, for a mailbox that is missing or closed (RFC 3463); a
 * code of another subject counts against it, although many hosts send 5.7.1 for missing mailboxes.
 */
const CODE_POINTS: readonly (readonly [prefix: string, points: number])[] = [
  ['1.7', -4],
  ['1.8', -4],
  ['1.', 1],
  ['2.1', 1],
  ['2.2', -3],
  ['2.3', -3],
  ['3.', -1],
  ['4.', -1],
  ['6.', -3],
  ['7.', -1],
]

/** Concepts of one clause. */
interface ClauseConcepts {
  readonly subject: boolean
  readonly missing: boolean
  readonly closed: boolean
  readonly doubt: boolean
}

/**
 * Returns the state of the mailbox that a permanent reply to RCPT speaks of. The time is linear in the length of the
 * clauses, of which the first `MAX_CLAUSES` are read.
 *
 * @param clauses the clauses that `readWords` returns
 * @param detail the enhanced code without its class, if there is one
 */
export function spokenState(clauses: string, detail: string | undefined): SpokenState {
  const read = clauses.split('|', MAX_CLAUSES).map(conceptsOf)
  const points = CODE_POINTS.find(([prefix]) => detail?.startsWith(prefix))?.[1] ?? 0
  let best: { readonly score: number; readonly state: SpokenState } = { score: 0, state: undefined }
  for (const [at, clause] of read.entries()) {
    if (!clause.missing && !clause.closed) continue
    const others = read.filter((_one, other) => other !== at)
    const subject = clause.subject ? SUBJECT : others.some((one) => one.subject) ? SUBJECT_ELSEWHERE : 0
    const doubts = (clause.doubt ? DOUBT : 0) + (others.some((one) => one.doubt) ? DOUBT_ELSEWHERE : 0)
    const score = subject === 0 ? 0 : subject + STATE + doubts + points
    if (score > best.score) best = { score, state: clause.closed ? 'mailbox_disabled' : 'mailbox_not_found' }
  }
  return best.score >= ENOUGH ? best.state : undefined
}

function conceptsOf(clause: string): ClauseConcepts {
  const found = SIGN_SCRIPTS.test(clause) ? signsOf(clause) : undefined
  const words = clause.trim().split(' ', MAX_WORDS)
  const concepts = words.map(conceptsOfWord)
  const has = (...wanted: readonly Concept[]): boolean =>
    wanted.some((concept) => found?.has(concept) === true || concepts.some((of) => of.includes(concept)))
  return {
    subject: has('box', 'address'),
    missing: has('missing') || isNegated(words, concepts),
    closed: has('closed'),
    doubt: has('guard'),
  }
}

/** Prepositions, after which a noun is not the one that is negated: "no route to the mailbox". */
const PREPOSITIONS = new Set(
  'to for from of in at on by with a zu zum zur im fur an auf bei von de du pour para per di da do na w u к в для от'.split(
    ' ',
  ),
)

/** True if a negation is near a word of existence, or a negation of nouns precedes a word of the mailbox: "no account". */
function isNegated(words: readonly string[], concepts: readonly (readonly Concept[])[]): boolean {
  return concepts.some((of, at) => {
    if (of.includes('not') && near(concepts, at).some((other) => other.includes('there'))) return true
    if (!of.includes('none')) return false
    const box = concepts.findIndex(
      (other, index) => index > at && (other.includes('box') || other.includes('address')),
    )
    return box > at && box - at <= REACH && !words.slice(at + 1, box).some((word) => PREPOSITIONS.has(word))
  })
}

const near = <T>(list: readonly T[], at: number): readonly T[] => [
  ...list.slice(Math.max(0, at - REACH), at),
  ...list.slice(at + 1, at + 1 + REACH),
]

const NONE: readonly Concept[] = []

/** True for a word that the tables contain under a concept of the mailbox or of its state. */
export const isConceptWord = (word: string): boolean =>
  conceptsOfWord(word).some((concept) => concept !== 'guard')

function conceptsOfWord(word: string): readonly Concept[] {
  const candidates = CONCEPT_WORDS.get(word.slice(0, INDEX_LETTERS))
  if (candidates === undefined) return NONE
  return candidates
    .filter((one) => (one.openEnded ? word.startsWith(one.word) : word === one.word))
    .flatMap((one) => one.concepts)
}

/** Returns the concepts of the signs of a clause. */
function signsOf(clause: string): ReadonlySet<Concept> {
  const text = clause.replaceAll(' ', '')
  return new Set(
    CONCEPT_SIGNS.filter(([, signs]) => signs.some((sign) => text.includes(sign))).map(
      ([concept]) => concept,
    ),
  )
}
