"""Words that tell little, in the languages we know: data for the analyser and for weighing evidence."""

from __future__ import annotations


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Words that say nothing about a subject, in any language this list knows.
STOP = _set(
    # English
    "a about above after again against all also am an and any are as at be because been before being "
    "below between both but by can cannot could did didn do does doesn doing don down during each "
    "either else every few for from further get gets got had has have having he her here hers him "
    "himself his how however i if in into is isn it its itself just ll let may me might more most must "
    "my myself no nor not now of off on once only onto or other our ours ourselves out over own re same "
    "shall she should shouldn so some such than that the their theirs them themselves then there these "
    "they this those through to too under until up upon us ve very via was wasn we were what when where "
    "whether which while who whom whose why will with within without won would wouldn yes you your "
    "yours yourself d j l m n s t "
    # German
    "aber alle als am auf aus bei beim bis da damit dann das dass dem den denen denn der deren des "
    "deshalb dessen dich dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem "
    "einen einer eines er es etwas euch euer fur ganz haben hatte hatten hier ich ihm ihn ihnen ihr "
    "ihre ihrem ihren ihrer im indem ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinen "
    "konnen mein meine meinem meinen meiner mich mir mit muss mussen nach nein nicht nichts noch nun "
    "nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind soll sollen sollte "
    "sondern uber um und uns unser unsere unserem unseren unserer unter vom von vor wahrend waren warum "
    "weil welche welchem welchen welcher welches wenn wer werden weshalb wie wieder wieso wir wird wo "
    "wohin worden wurde wurden zu zum zur zwischen "
    # French
    "au aux avec avez avons ayant c ce cela ces cet cette chez dans de depuis des donc dont du elle "
    "elles en encore entre es et etait etaient ete etre eu il ils je la le les leur leurs lors lorsque "
    "lui mais ma moi ne ni nos notre nous ou parce pas pendant peu peut peuvent pourquoi puis qu quand "
    "que quel quelle quelles quels qui quoi sa sans se selon ses si sont sous ta te tes toi tu un une "
    "vers vos votre vous "
)
# Function words of one language that mean something in another: left out of a query in that language only.
STOP_GERMAN = _set("auch bin die hab habe hat hast man mal war ")
STOP_FRENCH = _set("ai car comment est fait faire mes mon par plus pour son sur ton tous tout y ")
SIGNS_GERMAN = _set(
    "aber auf aus bei das dem den der des ein eine einen fur ich ihr im ist kann mit muss nach nicht "
    "nur oder sich sie sind uber und uns unser von warum welche welcher wenn wer werden wie wir wird wo "
    "zu zum zur "
)
SIGNS_FRENCH = _set(
    "au aux avec ce ces cette dans de des du elle en et il je la le les leur ne nous notre ou pas quand "
    "que quel quelle qui quoi se sont sous un une votre vous "
)

# Chinese characters that only hold a sentence together; a pair of two of them is left out.
STOP_HAN = frozenset(
    "的了是在我有和就不都一个上也很到说要去你会着看好这那什么吗呢吧为与及或被把对从向哪谁几怎样它他她们还没能可以以而"
)
PARTICLES = frozenset("のをはがにへともでや的吗呢吧")  # a pair of one and a word's edge is noise
KOREAN_ENDINGS = frozenset("을를은는이가에의로와과도")  # stand behind the noun, without a blank
STOP_PAIRS = _set(
    "为什 什么 么是 么不 怎么 么样 如何 是否 可以 我们 他们 你们 这个 那个 哪个 哪里 哪些 多少 有没 "
    "没有 还是 "
    # Japanese
    "です ます まし した せん ませ いる ある てい いま する した して され れる られ から まで ので "
    "のに のは のが のを には では とは ては ても もの こと これ それ あれ どれ この その あの どの "
    "ここ そこ どこ いつ だれ なに なぜ どう うす うし すか ますか ですか たい たか かっ った って "
    "という いう うい おい につ つい いて とし ください くだ ださ さい よう ように うに なる なっ ない "
    "なか かな をし にし はど はい がい でき きる とき "
    # Korean
    "습니 니다 니까 합니 입니 하는 하고 하면 해요 했습 했어 있는 있나 있습 나요 까요 세요 어요 에요 "
    "이에 에서 에게 으로 로는 까지 부터 하지 어디 언제 누가 누구 무엇 어떻 떻게 왜요 그리 리고 그런 "
    "이런 저런 "
)


# Words of everyday prompts: what one asks an agent to do, not what about. They weigh little as evidence.
COMMON = _set(
    # English
    "able actually add again agree ahead also another answer anything apply ask back bad best better "
    "big bit both break bug call can case change changed check clean clear code come comment commit "
    "compare continue convert copy correct count create day deal delete describe detail details diff "
    "difference do done easy edit else end error errors even everything example exist exists explain "
    "explanation fail failed fails failing file files fill find fine first fix fixed folder follow "
    "found function functions generate give go going good great happen happened hello help hey hi idea "
    "implement improve instead issue job keep kind know last later leave less let like line lines list "
    "little long look looks loop lot make makes making many maybe mean method missing mistake move much "
    "name need needed needs never new next nice nothing oh ok okay old one open option original part "
    "parts paste path perfect please plus point possible previous problem proper pull push put question "
    "quick read ready really reason redo refactor related remove rename repeat replace rest result "
    "return revert rewrite right run running runs save say second see seem set setup short show simple "
    "small something start started step steps still stop sure take talk task tell test tests text thank "
    "thanks thing things think thought three time today together told too top try trying turn two type "
    "understand undo update updated use used using value values variable wait want wants way well whole "
    "word words work working works write wrong yeah year years yep yesterday "
    # German
    "alles anders ander andere anderen anderer beispiel besser bitte danke datei dateien erklar erklare "
    "erstell erstelle fehler fuge funktion geht genau gut hinzu ja klar lass loschen mach mache machen "
    "mal mehr neu neue neuen nochmal problem rest richtig schau schreib schreibe schritt stimmt stopp "
    "teil tun versuch versuche versuchen weiter welch welches wert zeig zeige zeile passt falsch nimm "
    "zuruck perfekt super prima toll nein doch okay sicher nochmals einmal warte halt moment "
    "weitermachen nachste nachsten gleiche gleichen sieht aus fertig egal schon "
    # French
    "ajoute autre bien bon bonjour code continue corrige cree encore erreur exemple explique fais "
    "fichier fonction ligne merci montre nouveau nouvelle oui parfait plait supprime teste tests "
    "toujours voir vu parfaitement genial attends annule reviens relance essaie recommence daccord "
    "accord suivant maintenant pareil continuez bravo "
    # Chinese
    "继续 好的 谢谢 再试 一次 看起 起来 来不 不错 提交 运行 测试 修改 文件 代码 函数 问题 一下 解释 "
    "添加 删除 帮我 请帮 不对 撤销 回退 可以 就这 这样 完美 很好 不用 下一 步吧 等一 等等 没问 谢啦 "
    "写一 个函 错误 更新 改成 这段 一度 "
    # Japanese
    "続け けて もう テス スト ファ ァイ イル コー ード お願 願い ありが ありがとう あり りが がと とう "
    "ださ 実行 追加 修正 説明 関数 完璧 素晴 次に 待っ 戻し やり やめ いい 良い 大丈 丈夫 "
    # Korean
    "계속 고마 마워 다시 실행 행해 테스 스트 파일 코드 함수 추가 수정 설명 주세 좋아 아요 네요 완벽 "
    "그만 잠깐 다음 감사 합니 되돌 해주 작성 성해 네 줘 "
)

# Words of programming and office talk at large: one alone does not tell one memory from another.
GENERAL = _set(
    "account order message messages feature action address algorithm api app application argument "
    "arguments array arrays article async auth background backend bar base basic binary block blog body "
    "boolean box branch browser buffer build built button byte bytes cache card cell cells character "
    "characters chart class classes click client column columns command commands common company compile "
    "component computer config configuration connect connection console constant container content "
    "context control cost css csv custom dark data database date dates debug default define dependency "
    "deploy deployment design desktop dev developer device dialog dict dictionary directory display "
    "document documentation docs download draw drive edge editor element elements email empty endpoint "
    "engine entry environment event events exception exit extra fast field fields filter final finish "
    "flag float font form frame framework front frontend game general global graph green grid group "
    "handle handler hard header height high hook host hour hours html http icon id image images index "
    "info information input insert install int integer interface internal item items java javascript "
    "join json key keys keyword label language large layout length level library light limit link "
    "linked load local log login logs long low machine mail main manager map match matches max maximum "
    "member memory menu merge min minimum minute minutes mobile mode model module modules monitor month "
    "months mouse network node note notes null object objects office output package page pages panel "
    "paragraph parameter parameters parse parser password patch pattern people person phone picture "
    "pixel plan platform plot pointer policy pool port post price private process processes product "
    "production profile program programming progress prompt protocol public python query queue random "
    "range rate recursion recursive red regex regular release remote report repository reset resource "
    "response role root round route row rows rule rules rust schedule schema screen script scripts "
    "scroll search section security select sentence server servers service services session shell side "
    "sign site size slow software source space specific split sql square stack standard state statement "
    "static status step stream strings structure style suite support switch symbol sync syntax system "
    "table tables tag tags target team template temporary terminal text thread threads time title token "
    "tool tools tree tuple tuples typescript unit upload url username users validation video view "
    "translate spanish reverse reverses reversed sum convert argparse loop loops recursively ones "
    "longer wrap warning web website week weeks white width window windows xml yellow abfrage anfrage "
    "anwendung ausgabe benutzer bild bildschirm buro daten datenbank eingabe fenster firma gross grosse "
    "hoch klasse klassen klein kunde liste listen methode monat name nummer ordner passwort programm "
    "seite seiten spalte spalten speicher sprache start statt steht stunde stunden tabelle tage liefert "
    "liefern schleife schleifen unterschied wort woche wochen zahl zahlen zeit zeichen bouton calcule "
    "classe colonne compte donnees ecran entreprise equipe heure jour mot nombre nom projet serveur "
    "tableau texte utilisateur 数据 用户 接口 系统 服务 页面 列表 字符 变量 循环 数组 对象 递归 查找 "
    "数据库 据库 公司 前端 后端 要求 データ デー ータ クラ ラス サー ーバ バー ユー ーザ ザー 文字 字列 "
    "配列 変数 画面 데이 이터 사용 용자 서버 클래 래스 배열 변수 화면 수열 계산 cancel import number "
    "request retry review user version format sort string print "
)

# How an order to the agent begins or, in Japanese and Korean, ends.
ORDERS = _set(
    "write implement convert translate generate sort parse explain split refactor center make add "
    "create build rename remove delete move fix format show print draw compute calculate find list "
    "count extract replace wrap turn merge optimize optimise simplify document test run install update "
    "upgrade rewrite design set sketch schreib schreibe erklare wandle fuge erstelle baue mach mache "
    "andere benenne losche zeig zeige sortiere ubersetze berechne teile ersetze formatiere ecris "
    "ajoute explique convertis cree corrige montre traduis renomme supprime trie calcule genere "
)
ORDERS_BEGIN = ("写", "把", "帮我", "请", "给", "实现", "添加", "修改", "生成", "解释一下", "翻译")
ORDERS_END = ("して", "書いて", "ください", "해 줘", "해줘", "주세요", "하라", "作って", "눠 줘", "써 줘")


# English words whose forms share no beginning: the word, then its other forms.
_IRREGULAR = (
    "analysis analyses, bad worse worst, begin began begun, bind bound, break broke broken, "
    "bring brought, build built, buy bought, catch caught, child children, choose chose chosen, "
    "come came, criterion criteria, deal dealt, dig dug, do did done, draw drew drawn, "
    "drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, "
    "find found, fly flew flown, foot feet, forget forgot forgotten, freeze froze frozen, "
    "give gave given, go went gone, good better best, grow grew grown, hang hung, hear heard, "
    "hide hid hidden, hold held, index indices, keep kept, knife knives, know knew known, lay laid, "
    "lead led, leave left, lend lent, life lives, light lit, lose lost, make made, man men, "
    "matrix matrices, mean meant, meet met, mouse mice, overwrite overwrote overwritten, pay paid, "
    "person people, rebuild rebuilt, rerun reran, ring rang, rise rose risen, run ran, say said, "
    "see saw seen, sell sold, send sent, shake shook shaken, shoot shot, show showed shown, "
    "shrink shrank shrunk, sing sang, sink sank, sleep slept, speak spoke spoken, spend spent, "
    "spin spun, stand stood, steal stole stolen, stick stuck, sweep swept, swim swam, "
    "take taken took, teach taught, tear tore torn, tell told, think thought, throw threw thrown, "
    "understand understood, wake woke woken, wear wore worn, wife wives, win won, woman women, "
    "write wrote written, "
)
IRREGULAR = {
    form: forms.split()[0] for forms in _IRREGULAR.split(",") if forms.strip() for form in forms.split()[1:]
}
