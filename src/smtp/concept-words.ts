// Words of replies by concept: a mailbox, its absence, and subjects that leave the mailbox in doubt. The tables are the
// place for a new word or language.

/**
 * Concept of a word. `box`: a mailbox or its owner; `address`: an address; `person`, `record`: a word that may mean the
 * recipient or the entry of the recipient in a list; `missing`: says by itself that something does not exist; `closed`:
 * says by itself that something is no longer in use; `left`: says that a person has left; `not`: a negation; `none`: a
 * negation before a noun; `more`: says, after a negation, that something has ended; `there`: says, near a negation, that
 * something does not exist or is not in use; `here`: the host that replies; `guard`: a subject or a reason that leaves
 * the mailbox in doubt, such as the reader, a rule, a list, a size or a passing state.
 */
export type Concept =
  | 'box'
  | 'address'
  | 'person'
  | 'record'
  | 'missing'
  | 'closed'
  | 'left'
  | 'not'
  | 'none'
  | 'more'
  | 'there'
  | 'here'
  | 'guard'

/**
 * Words of each concept, by language, as plain words (lower case, without accents). `*` after a word stands for any
 * further letters. A word may stand under several concepts.
 */
export const CONCEPT_WORDS: Readonly<Record<string, Readonly<Partial<Record<Concept, string>>>>> = {
  'before a noun, in all languages': {
    none: `no kein* aucun* ningun* nenhum* nessun* alcun* geen zero brak zaden zadna zadny zadne ziadn* ingen inget
      inga intet nincs* niciun* nicio нет нету нема няма немає nema nav nera pole cap sem sin`,
  },
  english: {
    box: `mailbox* inbox* mbox maildir* maildrop* account* acct user users userid* username* useraccount* recipient* rcpt* receiver* addressee* alias* customer* subscriber* person member* employee* student* owner* local-part localpart* entry mailuser* emailaccount* mailname* nosuchuser* correspondent* postbox* letterbox* home homedir* mailaddress* worker* teacher* professor* resident*`,
    address: `address* email* mailaddress* emailaddress* destination* target* part`,
    missing: `unknown* unkown* unrecogni* unregistered unassigned nonexist* inexist* nosuch* invalid* incorrect wrong
      bogus illegal mistyped misspel* undeliverable unroutable unrouteable unresolvable unresolved absent missing
      vacant undefined`,
    closed: `disabled deactivat* inactiv* suspended terminated closed cancel* deleted removed expired retired discontinued dormant frozen locked abandoned defunct obsolete dead gone moved archived decommission* purged revoked lapsed departed left resigned deceased quit unused parked hangup ceased changed went away disconnected switched asleep disband* dissolv* shut shutdown erased wiped vacated unsubscrib* deregister* withdrawn withdrew relinquish* dismissed merged replaced superseded cease* ended ends expell* unlinked destroy* liquidat* abolish* emptied fired sacked died dies deprovision* deprecat* outdated`,
    not: `not no never cannot can don doesn dosn isn wasn aren weren hasn haven hadn didn won wouldn couldn without
      none nor neither nobody noone unable failed fails longer`,
    there: `exist* found find locat* known know knows recogni* valid* register* active activat* hosted local present listed configured deliverable served serves serviced service associat* assigned match* defined enabled provision* resid* belong* lives live works working employed ours handle* identif* resolv* using monitored among heard keep have list directory table mapped subscribed appear* specify registered resolve* recognis* keeps gets get carries carry house* lodge* residing hold holds own owns passwd`,
    guard: `sender* spam* polic* reputation* relay* blacklist* blocklist* authenticat* authori* permission* permit* quota* full exceed* limit* size space storage rate throttl* many temporar* later again retry moment busy greylist* graylist* dns mx ptr spf dkim dmarc ip ip4 hostname helo ehlo tls ssl starttls certificate* encrypt* content* virus* attachment* header* parameter* ldap lookup timeout timed connect* network loop* hop hops moderat* restrict* external outside private whitelist* allowlist* callout gateway forgery forged unsolicited bulk suspicious backend filter* signature* tenant* unverified process another procmail output you your yours yourself from who whom whose reply replies replying return returns sent sending send sends submit* written login logged identity behalf callback told according origin* source author* claim* pretend* mailer* backscatter* caller calling harvest* dictionary* country* region* port loops looping being maintenance migrat* tomorrow today* monday wait down offline lock* read-only readonly licen* config* key keys sign* extension* unsafe purpose* rule rules testing challenge* approv* guest* strangers block blocks blocked syntax argument* command* unencrypted unsupported supported room write writes wrote writing`,
    person: `he she they him his her mr mrs ms dr sir madam colleague* contact* staff stranger* someone servant* graduate* alumn* gentleman lady`,
    record: `record* entry entries row rows result results match matches mapping* listing* hit hits trace mention one name mail mails`,
    left: `left retired resigned deceased departed quit passed fired dismissed died`,
    more: `longer anymore more`,
    here: `here us our ours locally hereabouts`,
  },
  german: {
    box: `benutzer* nutzer* anwender* empfanger* empfaenger* postfach* postfacher mailbox* konto* mailkonto* kunde* teilnehmer* adressat* mitarbeiter* mitglied* person* briefkasten* inhaber* kennung* mailadresse* nutzerkonto* account*`,
    address: 'adresse* mailadresse* emailadresse* zieladresse* empfangeradresse* anschrift*',
    missing: 'unbekannt* ungultig* ungueltig* falsch* fehlerhaft* unzustellbar* nichtexist*',
    closed: `gesperrt* deaktiviert* geschlossen* geloscht* geloescht* abgeschaltet* stillgelegt* inaktiv* gekundigt*
      gekuendigt* aufgelost* abgemeldet* eingestellt* entfernt* erloschen* abgelaufen* verzogen* ausgeschieden*
      verlassen* beendet* aufgegeben* archiviert* verstorben*`,
    not: 'nicht kein* keine keiner keinen nie niemals niemand ohne',
    there: `existier* bekannt* gefunden* vorhanden* verfugbar* verfuegbar* registriert* eingerichtet* gultig* gueltig* aktiv* auffindbar* angelegt* zustellbar* erreichbar* gibt vergeben* zugeordnet* ermittel* finden kennen kennt kenne besteht hinterlegt* genutzt* verwendet* besitzt konfiguriert* freigeschaltet* auflosbar* gibts arbeitet* beschaftigt* beschaeftigt* tatig* taetig* fuhren fuehren verwalte* belegt* aufgelost* aufloesbar*`,
    guard: `absender* richtlinie* quote* voll* speicher* uberschritten* ueberschritten* zu viele grosse vorubergehend* voruebergehend* spater spaeter erneut sperrliste* blacklist berechtig* erlaubt* anmeld* authentifiz* limit* zertifikat* inhalt* anhang* verteiler* gruppe* extern* sie ihr ihre ihrem ihren ihrer ihnen platz passt passen nimmt nehmen annimm* angenommen umgezogen umzug wartung storung* stoerung* verschlusselt* lander* nur von rueckfrage* ruckfrage*`,
    person: `herr herrn frau kolleg* mitarbeiter* ansprechpartner* person* jemand`,
    record: `eintrag* treffer* datensatz* ergebnis* zuordnung*`,
    more: `mehr lang langer laenger`,
    left: `verlassen ausgeschieden verstorben pensioniert* rente ruhestand gegangen weggezogen`,
    here: `hier uns unser* hiesig*`,
  },
  french: {
    box: `utilisateur* destinataire* compte* boite* bal abonne* usager* titulaire* messagerie correspondant* personne client* membre* beneficiaire* casier* bals agent* salarie* adherent*`,
    address: `adresse* courriel* email*`,
    missing: 'inconnu* inexistant* invalide* introuvable* erron* incorrect* mauvais*',
    closed: `desactive* suspendu* ferme* supprime* cloture* inactif* inactive* resilie* bloque* expire* efface*
      archive* annule* verrouille* quitte* abandonne* radie* obsolete* perime*`,
    not: 'pas plus non aucun* ne n jamais ni personne sans impossible nul*',
    there: `exist* trouv* connu* connait connais* valid* valable* disponible* repertorie* enregistre* actif* active* attribue* referenc* reconnu* joignable* defini* utilise* travaill* service localis* identifi* declare* cree* partie porte figure* figurent resid* employ* effectif*`,
    guard: `expediteur* emetteur* quota plein* satur* depasse* espace taille politique* droit* autoris* authentif* relais temporaire* tard reessay* contenu* piece* vous votre vos ecrire ecriv* envoy* accept* indisponible* pays ip seul* uniquement`,
    person: `monsieur madame mr mme collegue* correspondant* personne agent*`,
    record: `enregistrement* entree* resultat* correspondance* trace nom`,
    more: `plus`,
    left: `quitte parti retraite decede* demission*`,
    here: `ici nous notre nos chez`,
  },
  spanish: {
    box: `usuari* destinatari* cuenta* buzon* casilla* titular* persona* cliente* empleado* abonado* receptor* alumn* casillero* colaborador* trabajador* funcionari* docente* estudiante*`,
    address: `direccion* correo* email*`,
    missing: 'desconocid* inexistent* invalid* erron* incorrect* equivocad*',
    closed: `desactivad* deshabilitad* inhabilitad* suspendid* cerr* cancelad* eliminad* borrad* inactiv* caducad*
      expirad* bloquead* baja anulad* suprimid* archivad* vencid* desvinculad*`,
    not: 'no ningun* nunca ya sin nadie ni imposible tampoco jamas',
    there: `exist* encontr* encuentra* valid* disponible* registrad* conocid* conoce* activ* habilitad* localiz* hallad* dispon* vigente* reconocid* asignad* pertenece* corresponde* identific* figura* hay trabaja* labora* asociad* configurad* ubicad* forma parte tiene tenemos existia localizad*`,
    guard: `remitente* emisor* cuota* llen* espacio limite* excedid* superad* politica* permis* autoriz* autentic* temporal* despues tarde intente contenido* relay usted ud acepta* admite* recib* ip pais* sitio remit* solo solamente origen*`,
    person: `senor* senora* sr sra colega* colaborador* funcionari* persona* nadie`,
    record: `registro* entrada* resultado* coincidencia* nombre`,
    more: `mas ya`,
    left: `retirad* jubilad* fallecid* renunci*`,
    here: `aqui nuestr* nosotros`,
  },
  portuguese: {
    box: `usuari* utilizador* destinatari* conta* caixa* pessoa* cliente* funcionari* assinante* titular* colaborador* aluno* servidora* associado*`,
    address: 'endereco* email* correio',
    missing: 'desconhecid* inexistent* invalid* incorret* errad*',
    closed: `desativad* desactivad* desabilitad* suspens* encerrad* cancelad* excluid* bloquead* inativ* inactiv*
      removid* apagad* expirad* eliminad* vencid* demitid* desligad* fechad*`,
    not: 'nao nenhum* nunca ja sem ninguem',
    there: `exist* encontrad* encontrar localizad* valid* disponivel* indisponivel* cadastrad* registad* registrad* conhec* ativ* reconhecid* pertenc* atribuid* habilitad* trabalha* ha parte quadro localiz* temos tem consta* figura*`,
    guard: `remetente* cota quota chei* lotad* espaco limite* excedid* politica* permit* permiss* autoriz* autentic* temporari* tarde novamente conteudo* voce aceita* receb* ip pais somente apenas`,
    person: `senhor* sr sra colega* colaborador* funcionari* ninguem`,
    record: `registro* entrada* resultado* nome`,
    more: `mais`,
    left: `aposentad* falecid* deslig* demitid*`,
    here: `aqui nosso* nossa*`,
  },
  italian: {
    box: 'utent* destinatari* casell* account* conto cliente* titolar* person* intestatari* abbonat* dipendent*',
    address: `indirizz* email*`,
    missing: 'sconosciut* inesistent* invalid* errat* scorrett*',
    closed: `disattivat* disabilitat* sospes* chius* cancellat* eliminat* inattiv* cessat* rimoss* scadut* dismess*
      bloccat* soppress* disdett* lasciat* inutilizz*`,
    not: 'non nessun* mai piu senza nessuno ne alcun*',
    there: `esist* trovat* trovar* valid* attiv* conosc* disponibil* registrat* riconosciut* presente risult* raggiungibil* abilitat* assegnat* lavora* rintracciat* configurat* previst* associat* corrisponde* fa parte censit* figura*`,
    guard: `mittent* quota pien* spazio limit* superat* policy politic* permess* autorizz* autentic* temporane* tardi riprov* contenut* suo sua vostro vostra lei voi accett* ip solo soltanto riceve*`,
    person: `signor* collega collegh* dipendent* nessuno`,
    record: `record voce risultat* corrispondenz* nome`,
    more: `piu`,
    left: `pensionat* decedut* dimess* andato lasciat*`,
    here: `qui noi nostr* presso`,
  },
  catalan: {
    box: 'usuari* destinatari* bustia compte*',
    address: 'adreca* correu*',
    missing: 'desconegu* inexistent* invalid* incorrect*',
    closed: 'desactivad* tancad* suspes* eliminad* inactiv* suprimi* cancel*',
    not: 'no cap mai sense',
    there: 'exist* trob* conegu* valid* registr* activ* disponible*',
    guard: `remitent* quota ple*`,
  },
  romanian: {
    box: 'utilizator* destinatar* cont contul* casut* cutia* abonat* persoan*',
    address: 'adres* email*',
    missing: 'necunoscut* inexistent* invalid* gresit* incorect*',
    closed: 'dezactivat* inchis* suspendat* sters* desfiintat* inactiv* blocat* expirat* anulat* eliminat*',
    not: 'nu niciun* nici fara',
    there: `exist* gasit* cunoscut* valid* inregistrat* activ* disponibil* recunoscut* lucreaza* figureaza*`,
    guard: `expeditor* cota plin* spatiu limit* temporar* dumneavoastra accept* ip doar`,
    person: `angajat* nimeni coleg*`,
    more: `mai`,
    here: `aici noi nostru nostri`,
  },
  dutch: {
    box: 'gebruiker* ontvanger* mailbox* postbus* postvak* account* geadresseerde* klant* persoon medewerker* abonnee*',
    address: 'adres* emailadres* mailadres*',
    missing: 'onbekend* ongeldig* onjuist* onbestelbaar* foutief* verkeerd*',
    closed: `opgeheven uitgeschakeld* gedeactiveerd* geblokkeerd* verwijderd* gesloten beeindigd* opgezegd* inactief*
      verlopen vervallen afgesloten gewist vertrokken afgemeld stopgezet`,
    not: 'niet geen nooit niemand zonder',
    there: `bestaat bestaan* gevonden bekend* geldig* beschikbaar* geregistreerd* actief* bereikbaar* gekend herkend* aanwezig toegewezen gebruik* kennen bezorgd* dienst werkzaam werkt hebben heeft voorkomt`,
    guard: `afzender* quotum vol limiet* ruimte beleid toegestaan tijdelijk* later opnieuw inhoud uw ip alleen uitsluitend plaats`,
    person: `heer mevrouw dhr mevr collega* medewerker* niemand iemand`,
    record: `record* vermelding* resultaat* naam`,
    more: `meer langer`,
    left: `vertrokken overleden pensioen ontslag*`,
    here: `hier ons onze`,
  },
  polish: {
    box: `uzytkownik* odbiorc* adresat* skrzynk* kont* klient* osob* abonent* wlasciciel* pracownik*`,
    address: 'adres* email*',
    missing: 'nieznan* nieprawidlow* niepoprawn* bledn* nieistniej* niewlasciw*',
    closed: `zablokowan* nieaktywn* usuniet* zamkniet* zawieszon* wylaczon* zlikwidowan* skasowan* dezaktywowan*
      wygas* zwolnion* odszedl odeszla`,
    not: 'nie brak zadn* nigdy nikt bez juz',
    there: `istnie* znalez* znan* zarejestrowan* aktywn* dostepn* odnalez* prawidlow* poprawn* pracuje* obslugiwan* przypisan* takiej takiego figur* zatrudnion* widnieje ma mamy`,
    guard: `nadawc* limit* peln* przepelnion* przekroczon* miejsc* polityk* chwilow* tymczas* pozniej ponownie twoj* pan pani przyjm* ip tylko miejsca`,
    person: `pracownik* nikt nikogo kolega*`,
    record: `wpis* rekord* wynik* nazwie`,
    more: `juz`,
    left: `odszedl odeszla zwolnion* zmarl*`,
    here: `tu tutaj nas nasz* naszej`,
  },
  'czech, slovak': {
    box: 'uzivatel* pouzivatel* prijemc* adresat* schrank* ucet ucty uctu konto klient* osob*',
    address: 'adres* email*',
    missing: 'neznam* neexist* neplatn* nespravn* chybn* nedoruciteln*',
    closed: `zrusen* zablokovan* neaktivn* deaktivovan* smazan* zmazan* uzavren* pozastaven* vypnut* odstranen*
      ukoncen*`,
    not: 'ne nie neni nebyl* nebol* nelze nema* zadn* ziadn* nikdo nikto bez',
    there: `existuj* nalezen* najden* znam* platn* registrovan* aktivn* dostupn* evidovan* nenalezen* nenasl* nenasiel* zrizen* zriaden* nemame mame pracuje eviduj* veden*`,
    guard: `odesilatel* odosielatel* kvot* pln* preplnen* limit* misto docasn* pozdeji znovu politik* vas vase* prijim* ip pouze`,
    person: `nikdo nikoho zamestnan* pan pani kolega*`,
    record: `zaznam* jmeno`,
    more: `jiz`,
    left: `odesel odesla zemrel* vypovezen*`,
    here: `zde tu nas nase* nasem`,
  },
  hungarian: {
    box: 'felhasznalo* cimzett* postafiok* postalada* fiok* szemely*',
    address: 'cim cime cimen cimet emailcim*',
    missing: 'ismeretlen* ervenytelen* hibas* helytelen* nemletezo',
    closed:
      'megszunt* torolt* torolve* zarolt* zarolva* letiltott* letiltva* inaktiv* felfuggeszt* lezart* bezart*',
    not: 'nem nincs nincsen sem senki nelkul',
    there: `letez* talal* ismert* ervenyes* regisztral* aktiv* elerheto* ilyen dolgoz* nev nevu nincs nincsen`,
    guard: `felado* kvota* megtelt tele hely ideiglenes* kesobb ip csak`,
    person: `senki munkatars* kollega*`,
    more: `mar tobbe`,
    here: `itt nalunk`,
  },
  'swedish, danish, norwegian': {
    box: `anvandar* brugere* bruger* bruker* mottagar* modtager* mottaker* konto* kontot brevlad* postkass* postboks*
      innboks* inkorg* indbakke* person* kund*`,
    address: `adress* mailadress* epostadress* epost* email*`,
    missing: 'okand* ukendt* ukjent* ogiltig* ugyldig* felaktig* forkert* feil obekant*',
    closed: `avslut* stangd* stangt avstangd* avstangt inaktiv* sparrad* sparrat sparret* sperret* deaktiver*
      nedlagt* nedlagd* lukket* slettet* raderad* raderats borttag* stengt* ophort* opphort* suspender* sluttet
      slutat fjernet uppsag* oppsag* opsag*`,
    not: 'inte ikke ej aldrig aldri ingen inget inga intet saknas utan uden uten',
    there: `finns findes finnes hittad* hittas hittades fundet funnet kand* kend* kjent* giltig* gyldig* registrer* aktiv* tillganglig* tilgaengelig* tilgjengelig* eksister* exister* langre laengere lenger fanns oppna* anvands bruges brukes arbetar arbejder jobbar jobber saknas`,
    guard: `avsandar* avsender* afsender* full* kvot* granse* grense* plads plats tillfallig* midlertidig* senere senare din ditt accepter* aksepter* ip bara kun`,
    person: `ingen medarbetar* medarbejder* ansatt* anstalld* kollega*`,
    record: `post oppforing* navn namn`,
    more: `langre laengere lenger kvar mer mere`,
    left: `slutat sluttet fratradt pensioner* avliden`,
    here: `her oss hos vart vores`,
  },
  finnish: {
    box: 'kayttaja* vastaanottaja* postilaatik* tili tilia tilin tunnus* henkilo*',
    address: 'osoit* sahkopost*',
    missing: 'tuntematon* tuntemattom* virheelli* olematon*',
    closed: 'suljet* poistet* lakkautet* lukit* paattyn* vanhentun* passiiv*',
    not: 'ei eika eivat eipa ilman',
    there: `ole olemassa loydy* loyty* tunnet* tunne kelvolli* voimassa kaytos* rekistero* enaa tyoskente* tunneta tunnettu`,
    guard: `lahettaja* taynna kiintio* tilapai* valiaikai* myohemmin sinun vain`,
    more: `enaa`,
    here: `taalla meilla`,
  },
  'estonian, latvian, lithuanian': {
    box: 'kasutaja* saaja* postkast* konto* lietotaj* sanemej* pastkast* konts vartotoj* gavej* paskyr* dezut* dezute*',
    address: 'aadress* adres* epost* pasta',
    missing: 'tundmatu* vigane nezinam* nepareiz* nezinom* neteising* neegzistuoj* neeksist* negalioj*',
    closed: 'suletud* kustutat* blokeerit* slegt* dzest* bloket* isjungt* panaikint* uzblokuot* uzdaryt*',
    not: 'ei pole nav ne nera',
    there: `leitud* eksisteer* olemas atrast* eksist* rast* egzistuoj* zinam* zinom* kehti* derig* nav nera`,
    guard: 'saatja* sutitaj* siuntej* tais pilns perpild* kvoot* kvota* laikin* ajuti*',
  },
  'croatian, serbian, slovene': {
    box: `korisnik* primatelj* primala* primaoc* sanduc* pretin* nalog* racun* uporabnik* prejemnik* naslovnik*
      predal* osob* oseb*`,
    address: 'adres* naslov*',
    missing: 'nepoznat* nepostoj* neispravn* nevazec* pogresn* neznan* neveljav* neobstoj* napacn*',
    closed: `ukinut* obrisan* onemogucen* deaktiviran* zatvoren* blokiran* suspendovan* izbrisan* ukinjen* zaprt* onemogocen* neaktivn* ugasen* ugaseno odstranjen* iskljucen*`,
    not: 'ne nije nema ni nisu nikad nikada nitko niko nihce',
    there: `postoj* pronad* pronadj* pronaden* obstaj* najden* nadjen* poznat* znan* vazec* veljav* registr* aktiv* nema`,
    guard: `posiljatelj* posiljalac* posiljaoc* pun puna poln* kvot* kasnij* privremen* zacasn* vas vasa ip`,
    more: `vise vec`,
    here: `ovdje ovde nas kod`,
  },
  'russian, ukrainian, bulgarian, macedonian, serbian': {
    box: `пользовател* получател* адресат* ящик* аккаунт* учетн* запис* абонент* владел* клиент* сотрудник* користувач* одержувач* отримувач* скриньк* потребител* кутия* сметка* корисник* корисници* примач* примаоц* прималац* сандуче* налог* человек* почты polzovatel* poluchatel* adresat* yaschik* yashchik* jashchik* yashik* pochtov* akkaunt* abonent* korisnik*`,
    address: `адрес* почт* пошт* емаил* email* почты почту adres* pochta pochty`,
    missing: `неизвестн* несуществ* неверн* недеиств* невідом* неіснуюч* неправильн* ошибочн* непознат* непостое* непостој* невалид* несъществ* некорректн* neizvest* nesushchestv* nesuschestv* neverny*`,
    closed: `удален* отключен* заблокирован* закрыт* приостановлен* заморожен* неактив* деактивир* ликвидирован* видален* вимкнен* заблокован* закрит* изтрит* уволен* снят* прекращен* истек* упразднен* выбыл* аннулирован* блокир* уволил* udalen* zablokirovan* otklyuchen* zakryt* угасен* отменен*`,
    not: `не нет нету ни никогда немає нема няма није без отсутств* больше ne net nema nyama`,
    there: `существ* наиден* наидено обнаруж* зарегистр* известен известн* активен активн* действител* деиствител* доступ* знаиден* існує існу* намерен* познат* съществ* постои постоји пронаден* пронађен* работает используется* обслуживается* sushchestv* suschestv* naiden* najden* nayden* zaregistrir* такой такого обслужива* работа* знаем takogo takoi нет нету немає нема няма net nema nyama`,
    guard: `отправител* відправник* подател* испраќач* переполн* переповн* квот* полон полна лимит* превыш* превышен* места политик* спам* временн* тимчасов* позже позднее повтор* соединен* подключен* вас вам вами ваш* вы принима* otpravitel* vash* ip только от прав доступа права`,
    person: `сотрудник* никого никто коллег*`,
    left: `уволен* уволил* ушел умер`,
    more: `больше більше вече повече више`,
    none: `takogo`,
    here: `здесь тут нас наш* нами тук нашия nas nash*`,
  },
  turkish: {
    box: 'kullanici* alici* hesap* hesab* kutu* kisi* musteri* uye* sahib*',
    address: 'adres* eposta* posta mail*',
    missing:
      'bilinmeyen* bilinmiyor* gecersiz* bulunamad* bulunmu* bulunmama* yok yoktur hatali* tanimsiz* tanimiyor*',
    closed: `kapali* kapatil* kapatild* askiya silin* silinmis* devre pasif* iptal* kullanilmi* kullanilma* ayril* kapatilmis* kapatildi*`,
    not: 'degil degildir hic yok',
    there: `mevcut* kayitli* gecerli* tanimli* aktif* bulun* calis* bulunma* yok yoktur`,
    guard: `gonderen* gonderici* dolu doldu kota* gecici* sonra tekrar izin* siz* sunucunuz* kabul ip yalniz* sadece`,
    person: `calisan* kimse`,
    more: `artik`,
    here: `burada bizde sunucumuz*`,
  },
  greek: {
    box: 'χρηστη* παραληπτ* λογαριασμ* γραμματοκιβωτι* θυριδ*',
    address: 'διευθυνσ*',
    missing: 'αγνωστ* ανυπαρκτ* ακυρ* λανθασμεν* εσφαλμεν*',
    closed: 'απενεργοποι* κλειστ* ανενεργ* διαγραφ* διεγραφ* καταργ* ανασταλ*',
    not: 'δεν μη μην χωρις',
    there: 'υπαρχ* βρεθηκ* βρισκ* γνωστ* εγκυρ* ενεργ* καταχωρ* διαθεσιμ*',
    guard: `αποστολε* γεματ* οριο προσωριν* αργοτερα σας διακομιστ*`,
    more: `πια πλεον`,
    here: `εδω μας`,
  },
  hebrew: {
    box: 'משתמש המשתמש נמען הנמען תיבה תיבת התיבה חשבון החשבון',
    address: 'כתובת הכתובת דואר',
    missing: 'שגוי שגויה שגוייה',
    closed: 'סגור סגורה מושבת מושבתת נמחק נמחקה חסום חסומה מושעה',
    not: 'לא אינו אינה אין',
    there: 'קיים קיימת נמצא נמצאה מוכר מוכרת פעיל פעילה רשום תקין תקינה',
    guard: `השולח שולח מלאה מלא זמנית מאוחר`,
  },
  'arabic, persian': {
    box: 'المستخدم مستخدم المستلم مستلم الحساب حساب صندوق الصندوق المستقبل کاربر گیرنده صندوق',
    address: 'العنوان عنوان البريد بريد آدرس ادرس ایمیل',
    missing: 'مجهول خاطئ ناشناس ناشناخته نامعتبر اشتباه',
    closed: 'معطل مغلق محذوف موقوف غيرنشط محظور غیرفعال مسدود بسته',
    not: 'غير لا ليس لم نیست نشد غیر لن ليست',
    there: 'یافت موجود موجودة معروف معروفة صالح صالحة يوجد توجد نشط فعال وجود ندارد معتبر يتم العثور',
    guard: `المرسل مرسل ممتلئ ممتلئة حصة مؤقت مؤقتا لاحقا فرستنده`,
  },
  'indonesian, malay, vietnamese': {
    box: 'pengguna penerima akun kotak nguoi tai hop',
    address: 'alamat surel emel email dia thu',
    missing: 'salah',
    closed: 'dinonaktif* nonaktif ditutup dihapus diblokir ditangguhkan dibekukan vo khoa',
    not: 'tidak tak belum bukan khong chua',
    there: `ditemu* ada dikenal* terdaftar valid aktif wujud dijumpai tersedia sah ton biet hop dung tim hoat tồn tại`,
    guard: `pengirim penuh kuota sementara lagi gui day anda`,
  },
}

/** Signs of each concept in scripts without spaces, or with endings on every word; the word order does not matter. */
export const CONCEPT_SIGNS: Readonly<Partial<Record<Concept, string>>> = {
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
