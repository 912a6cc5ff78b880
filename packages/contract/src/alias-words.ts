/** Words for generated names: none offends, frightens, or names a body part, an illness, a faith or a party. */
const text = `
aardvark abaci aback abacus abandon abate abbey abbot abdicate abet abide abiding ability ablaze able ably aboard
abode abolish abound abrasive abridge abroad abrupt absence absent absentee absolute absolve absorb abstain abstract
absurd abundant abyss academic academy accede accent accept access accident acclaim accolade accord accost account
accredit accrue accuracy accurate accuse accustom ace achieve acid acne acorn acoustic acquaint acquire acquit acre
acreage acrobat acronym acrylic activate active actress actual actuary acumen acute adage adapt adapter adaptive add
addendum addition additive address adept adequate adhere adherent adhesion adhesive adjacent adjoin adjourn adjunct
adjust admiral admire admirer admit ado adobe adopt adore adorn adrift adroit adult advance advent adverb adverse
advice advise adviser advisory advocate aeon aerial aerosol afar affable affably affair affect affinity affirm affix
affluent afford afield aflame afloat afoot afraid afresh against aged agency agenda agent agile aging aglow agree
aground ahead ahoy aide aim air airborne aircraft airfield airing airline airmail airplane airport airstrip airtight
airy aisle ajar akin alarm album alcove alert alga algae algebra alias alibi alien alight align alike alive alkali
alkaline allay allege allegory allergic alley alliance allied allocate allot allow alloy allude allure allusion ally
almanac almighty almond almost aloft alone along aloof aloud alpha alphabet already altar alter altitude alto
altruism aluminum amass amateur amaze amber ambiance ambience ambient ambition amble ambush ameer amen amend
amethyst amiable amiably amicable amicably amir ammonia amnesty amoeba amount ampere ample amplify amulet amuse
anagram analog analogue analogy analyses analysis analyst analytic analyze analyzer ancestor ancestry anchor anchovy
ancient android anecdote anew angel angelic anger angle angler angling angry angst angular animal animate ankle
annals annex annotate announce annual annuity annul anoint anomaly anon anorak answer anteater antelope antenna
anthem anthill antic antidote antique antler antonym anvil anxiety anxious apart ape aperture apex aphorism aplomb
apology apostle apparel apparent appeal appear append appendix appetite applaud applause apple applied apply appoint
apposite appraise approach approval approve apricot apron apt aptitude aquarium aquatic aqueduct arable arbiter
arbor arc arcade arcane arch archaic archer archery arching archive archway ardent ardor arduous area arena arguably
argue aria arid arise arisen ark arm armchair armory aroma aromatic arose arrange array arrival arrive arrow art
arterial artery artful article artifact artifice artisan artist artistic artistry artwork asbestos ascend ascent
ascetic ascribe ash ashcan ashen ashore ashtray aside ask askew asleep aspect aspen asphalt aspirant aspire aspirin
assemble assembly assent assert assess asset assign assort assume assure asterisk asteroid asthma astonish astound
astray astride astute athlete athletic atlas atone attach attain attempt attend attest attic attire attitude attract
auburn auction audacity audible audibly audience audio audit auditory augment august aunt aura aural austere author
auto autocrat automate autonomy autumn autumnal avail avenue average avert aviation aviator avid avocado avoid avow
avowal await awake awaken award aware away awe awed awesome awhile awing awkward awning awoke awoken axiom axis axle
azalea azure babble babe babied baboon baby bachelor back backbone backfire backhand backlash backlog backpack
backside backward badge badger baffle bag bagel baggage bagging baggy bait bake baker bakery baking balance balcony
bale balk ballad ballast ballet balloon ballot ballroom balm balmy baloney bamboo banana band bandana bandy bani
banish banister banjo bank banker banknote bankrupt banquet banter barb barbecue barber bard bareback barefoot
bargain barge baritone bark barley barman barn barnacle barnyard baron baroque barrage barrel barter base baseball
baseline bash basic basil basin basis bask basket bass bassoon batch bath bathe bathroom bathtub baton bay bayou
bazaar beach beacon bead beady beagle beak beaker beam beaming bean bear beard bearer beast beautify beauty beaver
became beckon become becoming bedrock bedroom bedside bedtime bee beech beef beefy beehive beeper beer beeswax beet
beetle beeves befit befriend beg begin beginner begrudge beguile behalf behalves behave behavior beheld behold beige
belated belfry belief believe believer bell bellboy bellhop bellied bellow belly belong beloved belt bemuse bench
bend benefit bequeath bequest berried berry berth besought best bestow beta beverage beware bewitch bias bicycle
bidden bide biennial bifocals bike bile bill billfold billow bin binary bind bingo binomial biology biplane birch
bird birdcage birthday biscuit bisect bison bit bitmap blacken blackout blacktop blade blanch bland blank blanket
blaze blazer bleach bleat blend blending blent bless blest blink blinker blip bliss blissful blithe blitz blizzard
blob bloc block blockade blockage blog blogger blond blonde bloom blooming blossom blot blouse blow blown blowout
blue bluebell bluebird blueing bluff blur blurb blush bluster boa boar board boarder boast boastful boat boating
bobbin bobcat bobsled bodice body bodywork boggle boil boiler bold bolster bolt bonfire bonnet bonus bony book
bookcase bookend booklet bookmark bookshop bookworm boom booming boon boost booster boot booth border borough borrow
boss botany bottle bough bought boulder bounce boundary bounty bouquet bout boutique bow bowl bowler bowling box
boxcar boycott brace bracelet bracket brackish braid braiding brain brainy braise brake bran branch brand brandied
brandish brandy brass bravado brave bravery bravo bray brazen brazier bread breadth break breath breathe breed
breeze breezy brevity brew brewery brick bridal bride bridge bridle brief brigade bright brighten brighter brim
brimming brine bring bringing brink briny brisk bristle britches brittle broach broad broaden broader brocade
broccoli brochure broken broncho bronco bronze bronzing brooch brood brook broom broth brother brow brownie browse
brunch brunette brunt brush brushing bubble bubbling bubbly buck bucket buckle bud buddy budge budget buff buffalo
buffer buffet buffoon buggy bugle bugler build builder building bulb bulge bulk bulky bull bulldog bulldoze bulletin
bullfrog bump bumper bumpy bun bunch bundle bungalow bunk bunny buoy buoyancy buoyant burble bureau bureaux burger
burlap burn burnish burnt burr burro burrow bursar burst bus bushel bushy business bustle bustling busy busybody
butler button buttress buzz buzzard buzzer bygone bypass bypast byte byway cab cabaret cabbage cabin cabinet cable
caboose cacao cache cackle cacti cactus caddie caddy cadence cadet caffeine cage cake calcium calendar calf caliber
calico calk call caller calling calm calmer calming calorie cam camel cameo camera camp campaign camper camping
campus can canal canary cancel candid candied candle candling candy cane canine canister cannery canning canny canoe
canoeing canon canopied canopy canteen canvas canvass canyon cap capably capacity cape caper capital caprice capsize
capsule captain caption captive captor capture car caramel carat caravan carbon card cardiac cardigan cardinal care
career carefree careful caress cargo caribou caring carnival carol caroling carp carpet carriage carried carrot
carry cart cartel carton cartoon carve cascade case cash cashew cashmere casino cask casket cassette cassino cast
castaway caste caster castle castoff casual cat catalog catapult catcall catch catching catchup catchy category
catfish catnap catnip catsup cattle catwalk caucus caulk causal cause causeway caustic caution cautious cavalier
cavalry cave caveat cavern caviar caviare cease cedar cede ceiling celery cell cellar celli cello cellular cement
census cent center central century ceramic cereal ceremony certain certify chaff chain chainsaw chair chairman
chairmen chalet chalice chalk chalky chamber champ chance change channel chant chap chapel chaperon chaplain chapt
char charcoal charge charger chariot charisma charm charming chart chase chasm chassis chatter chatty check checker
checkout checkup cheep cheer cheerful cheering cheery cheese cheetah chef chemical chemist cherish cherry cherub
chess chest chestnut chew chewy chic chicken chief child children chill chilli chime chimney chintz chip chipmunk
chipper chirp chisel chivalry chlorine choice choir choose choosy chop choppy choral chord chore chortle chorus
chosen chow chowder chrome chromium chronic chubby chuck chuckle chug chum chummy chunk chunky churn chute cider
cinch cinder cinema cinnamon cipher circa circle circuit circular circus cistern citation cite citizen citric citrus
city civic civilian civilize clack clad claim clam clamber clamp clan clang clank clap claret clarify clarinet
clarity clasp class classic classify classy clatter clause claw clay clean cleaner cleaning cleanse clear clearer
cleat clef cleft clemency clench clerical clerk clever cleverer click client cliff climate climax climb climber
climbing clime clinch cling clink clip cloak clock clod clog cloister clone close closer closet closure cloth clothe
clothing cloud cloudy clout clove cloven clover clown club cluck clue clump clumsy cluster clutch clutter coach coal
coalesce coarse coarsen coast coastal coaster coat coax cob cobalt cobble cobbler cobra cobweb cocoa coconut cocoon
cod code coexist coffee coffer cog cogency cogent cognac coherent coil coin coinage coincide coke colander cold
colic collage collar collate collect college collie colorful colossal colt column comb combine come comeback
comedian comedy comet comfort comic comical comma commence commerce commit common communal commune commute commuter
compact company compare compass compel compete compile complain complete complex complied comply compose composer
compost compound compress comprise compute computer comrade concave conceal concede conceit conceive concept concern
concert concerti concerto concise conclude concoct concord concrete concur condense condor conduct cone confer
confetti confide confine confirm conform confront congress conical conifer conjure connect connote consent conserve
consider consign console consort conspire constant construe consul consular consult consume contact contain content
contest context continue contort contour contract contrary contrast contrive control convene convent converge
converse convert convex convey convince convoy cook cookbook cooker cookie cooking cooky cool cooler coop cooper
cope copied copious copy coral cord cordial cordon corduroy core cork corn cornea corner cornet cornmeal corny
coronary corps corpus corral correct corridor corsage cortex cosmetic cosmic cosmos cost costume cosy cottage cotton
couch cougar council counsel count counter countess country county couple coupon courage courier course coursing
courtesy cousin cove covenant cover coverage covert cowboy cowgirl cowhide coy coyote coziness cozy crackle cradle
craft crafty crag craggy cram crane crate crater crawfish crawl crayfish crayon craze creaky cream creamy crease
create creating creative creature credence credible credit creed creek crescent crest cresting crevasse crevice crew
crib cricket cried crimson crinkle crisp crispy criteria critic critical critique crochet croci crock crockery
crocus crofts croon crop croquet crossbow crouch crowbar crowd crown crucial cruise cruiser cruising crumb crumble
crummy crumple crunch crunchy crush crust crusty crux cry cryptic crystal cub cube cubic cubicle cucumber cuddle
cuddly cue cuff cuisine culinary cultural culture cup cupboard cupful cupsful curator curb curd curdle cure curfew
curio curious curl curling currant currency current curried curry curst curtail curtain curtsy curve cushion custard
custom customer cutback cute cuticle cutlery cutlet cycle cyclic cycling cyclone cylinder cymbal cypress dab dabble
daddy daffodil daily dainty dairy dais daisy dallied dally dame damp dampen damsel dance dancer dancing dandy dangle
dapper dare daring dark darken darling darn dart darting dash data database date datum daub daughter dawdle dawn
dawning day daybreak daydream daylight daytime daze dazzle deacon deal dealer dean dear debate debit debonair
debrief debug debut decade decanter decency decent decibel decide decimal decipher decision decisive deck declare
decline decode decoder decorate decorous decorum decoy decrease dedicate deduce deduct deed deem deep deepen deeper
deer defend defender define definite deflate deflect defrost deft degree delay delegate delete deli delicacy
delicate delight delimit deliver delivery delta deluge deluxe delve demand democrat demount den denim denote dense
dent depart depend depict depose deposit depot depth deputy derail derive derrick descend descent describe desert
deserve design designer desire desirous desist desk desktop desolate despite dessert destine destiny detach detail
detect deter detonate detour devalue develop deviate device devise devoid devolve devote devotee dew diagnose
diagonal diagram dial dialect dialog dialogue diameter diamond diary dice dictate diction diesel dietary differ
diffuse dig digit digital digitize dignify dignity digress dilemma diligent dilute dim dime diminish dimple dine
diner dinghy dingy dining dinosaur dip diploma diplomat dire direct discern disciple disco discreet discrete discus
discuss dish disk dispel dispense disperse disposal dispute distance distant distil distinct district ditch dither
ditto ditty dive diver diverge diverse divert divide dividend divine diving division divisive divisor divulge dizzy
dock docking doctrine document dodge dodo doe doer dog doggerel doghouse dogwood doily doing doleful doll dollar
dolphin domain dome domestic domicile dominant dominate dominion domino donate donkey donut doodle door doorman
doormen doorstep doorway dormant dorsal dot double doubling doubly doubt doubtful dough doughnut douse dove down
downhill downpour downtown downward downy doze dozen drafty drag dragon drain drainage drama dramatic drape drapery
drastic draw drawback drawer drawing drawl dream dreamer dreaming dreamy dredge drench dress dresser dressy dribble
dried drier driest drift drifting drill drily drink drinker drip drive driver driveway driving drizzle droll drone
drop dropout drowse drum drummer drumming dry dual dub duchess duck duckling duct dude duet duff dugout duke duly
dumpling dumpy dunce dune dunk duo duplex durable duration dusk dusky dust dustmen dustpan dusty dutiful duty duvet
dwell dweller dwelling dwindle dynamic dynamite dynamo dynasty eager eagle ear eardrum earl earmark earn earner
earning earshot earth earthy ease easel easing east easterly eastern eastward easy eave ebb ebony echo echoing
eclectic eclipse ecology economic economy ecstasy ecstatic eddy edge edgy edible edict edifice edit editing educate
eel effect egg eggplant eight eighteen eighth eighty eject elapse elastic elation elbow elder eldest elect elective
electric electron elegance elegant elegy element elephant elevate eleven eleventh elf elicit eligible elite elk
ellipse ellipsis elliptic elm elongate elope eloquent elude elusive email emanate embark embassy embed ember emblem
embodied embody emboss embrace embryo emerald emerge emergent emerging emigrant emigrate eminence eminent emissary
emission emit emotion emotive empathy emperor emphases emphasis emphatic empire employ employee employer emporium
empower empress emptied empty emulate emulsion enable enact enamel encase enchant encircle enclose encode encore
encroach encumber endanger endear endeavor endemic endive endorse endow endure enduring endways energy enforce
engage engender engine engineer engrave engraver engross engulf enhance enigma enjoy enjoying enlarge enlist enliven
enormous enquire enquiry enrich enrol enroll ensemble enshrine ensign ensue ensure entail entangle enter enthrall
entice entire entirety entitle entity entrance entrant entreat entreaty entropy entrust entry entwine envelop
envelope enviable envied envisage envoy enzyme eon epaulet epic epidemic epilogue episode epitome epoch epsilon
equal equalize equate equine equinox equip equity era erasure erect errand errant erudite escalate escapade escape
escort esoteric especial essay essence estate esteem estimate etch eternal eternity ether ethereal ethic ethical
ethnic ethos eureka evacuate evade evaluate evasion evasive eve event eventful eventual evermore everyday evidence
evident evoke evolve ewe exact exalt exam examine example excavate exceed excel except excerpt excess exchange
excise exclaim exclude excuse exempt exercise exhaust exhibit exhort exist existent exit exodus exotic expand
expanse expect expedite expel expend expense expert expire expiry explain explicit explore explorer exponent export
exporter exposure expound express extant extend extent exterior external extol extoll extra extract extreme exude
exult exultant eyeball eyebrow eyelash eyelid eyesight fable fabric fabulous facade face facet facial facile fact
factory factual faculty fade faint fainter fair faith faithful fake falcon fall falling fallout falsetto falter fame
familiar famous fan fancied fanciful fancy fanfare fantasy far faraway fare farewell farm farmer farming farmland
farther fashion fast fasten fastener faster father fathom fatigue faucet fauna faunae favor favorite fawn faze
feasible feast feat feather feathery feature federal feed feedback feeder feel feeling feet feline fellow fence
fencing ferment fern ferret ferried ferry fertile fervent fervor festival festive festoon fetch fiche fiction fiddle
fiddler fiddly fidelity fidget fidgety field fielding fiery fiesta fifteen fifth fiftieth fifty fig fight figure
file filet fill fillet filling film filming filmy filter fin final finale finalize finance finch find finding fine
finer finesse finger finicky finish finite fir fire firearm firefly fireman firemen fireside firewood firework firm
firmer firmware first fiscal fish fishery fishing fishy fissure fist fit fitful five fix fixation fixture fizz fizzy
flag flagpole flagship flair flak flake flaky flame flamingo flank flannel flap flapjack flare flash flashy flask
flat flatten flattery flavor fleck fledged fleece fleecy fleet flex flexible flexibly flick flicker flied flier
flight flighty flimsy flinch fling flint flip flippant flipper flit float floating flock floor floppy flora floral
florid florist floss flotilla flounce flounder flour flourish flow flower flowery flowing flue fluency fluent fluff
fluffy fluid flurried flurry flush fluster flute flutter flux flyover foam foamy focal focus fodder fog foggy
foghorn fold folder foliage folk folklore folksy follow follower folly foment fond font food foot footage football
foothill foothold footnote footpath footstep footwear footwork forage foray forbear forbore forborne ford fore
forearm forecast forego foregone forehead foreign foreleg foreman foremen foremost forensic foresaw foresee foreseen
forestry foretell foretold forever forewarn forewent foreword forfeit forge forgery forget forgive forgiven forgo
forgone fork form formal format former formula formulae forsaken forsook forte forth fortieth fortify fortress
fortune forty forum forward forwent fossil foster foundry fount fountain four fourteen fourth fox foxy foyer fractal
fraction fragile fragment fragrant frame franc frank freckle free freedom freehand freeway freight frequent fresh
freshen fresher freshman freshmen friction fried friend frieze frill frilly fringe frisk frisky fritter frizzy frock
frog frolic frond front frontage frontal frost frosting frosty froth frothy frown frugal fruit fruitful fruiting
fruity fry fuel fulcrum fulfill full fuller fully fulness fumble fun function fund fungi fungus funnel funnier funny
fur furl furlong furlough furnace furnish furrow furry further furthest fuselage future fuzzy gable gadget gaiety
gain gainful gait gala galactic galaxy gale gallant gallery galley gallon gallop galore game gamma gamut gander
gangway gap gape garage garb garble garden gardener gardenia gargle gargoyle garland garlic garment garnet garnish
garret garrison garter gasket gasoline gastric gate gateway gather gauge gauntlet gauze gavel gaze gazelle gazette
gazing gear geed geese gel gelatin gelatine gem gene generate generic generous genesis genetic genial genius genre
gentile gentle gentler gentry genuine genus geology geometry geranium gerbil gesture getaway geyser ghost giant gift
gifting gigantic giggle gild gilding gill gilt gimmick ginger gingham giraffe girder girdle girlhood girth gist give
giving glacial glacier glad gladden glade glamor glamour glance glare glass glassy glaze gleam gleaming glean glee
glen glib glide glider gliding glimmer glimpse glint glinting glisten glitter global globe globular globule glorify
glorious glory gloss glossary glossy glove glow glowing glucose glue glycerin gnarl gnat gnome gnu goal goalie goat
gobble goblet goblin godchild godlike godsend goggle going gold golden goldfish golf golfer gondola gong good
goodbye goodie goodwill goody goose gopher gorge gorgeous gorilla gosling gossamer goulash gourd gourmet govern gown
grace graceful gracious grade grader gradient gradual graduate graffiti graffito graft grain gram grammar grand
grandeur grandson granite granny granola grant granular granule grape graph graphic graphite grapple grasp grass
grassy grate grateful gratify gratuity graven gravy gray graze great greater green greener greenery greening greet
greeting grid griddle gridiron grill grille grin grind grinder grip gristle grit gritty grizzly grocer grocery
groggy groom groove groovy grotto ground group grouse grove grow grower growing growl growth guard guardian guess
guessing guest guffaw guidance guide guiding guild guinea guise guitar gulch gulf gull gully gulp gumdrop gummy
gumption guppy guru gush gust gusty gym gymnast gyrate habit habitat habitual hacksaw haddock hail hailing hair
haircut hairdo hairline hale half halfway halibut hall hallmark hallway halo halon halt halve hamlet hammock hamper
hamster hand handbag handbook handcuff handful handicap handle handler handling handmade handout handrail handsome
handy hangar hangout hanker happen happy harbor hardback harden hardline hardware hardwood hardy hare harmonic
harmony harp harvest hash haste hasten hasty hat hatch hatchet hatching haul haven havoc hawk hay haystack haze
hazel hazy head headache headland headline headlong headrest headroom headway heady heal healer healing health
healthy heap hear heard hearing hearsay heart hearten hearth hearty heat heater heath heather heating heave heavy
heckle hedge hedgehog heel heifer height heighten heir heirloom heliport helium hello helm helmet help helper
helpful helping hem hemlock hemp hen henchman henchmen herald herb herd heredity heritage hermit hero heroic heroine
heron hesitant hesitate hexagon heyday hiccup hickory hide hideaway high highbrow highland highway hike hiker hiking
hilarity hill hillside hilly hilt hind hinge hint hippie hippy hire historic history hive hoard hobbit hobble hobby
hobnob hock hockey hoist hold holder hole holiday holiness hollow holster homage home homeland homemade homesick
homespun homeward homework homey hone honesty honey honk honorary hood hook hoop hoorah hoot hooves hop hope hopeful
hopping horizon hormone horn hornet horse horseman hose hosiery host hostel hostess hosting hotbed hotel hound hour
house hove hovering hub hubbub huddle hue hued hug huge hull human humane humanize humble humbly humidify humility
humming humorous hundred hunt hunter hurdle hurdling hurl hurried hurry husband hush husk hut hutch hyacinth hybrid
hydrant hydrogen hyena hygienic hymn hymnal hyphen hypnosis hypnotic ice iceberg iced icicle icing icon idea ideal
idealize identify identity ideology idiom idly idyllic igloo ignite iguana illusion illusory image imagery imagine
imitate immense immerse imminent immunize imperial impetus implicit implore inch incident incisive incisor incline
include incubate incur index indicate indigo induce indulge industry inertia inertial infantry infinity infix
inflate info infrared ingest inherent inherit inhibit initial initiate inject ink inkling inky inlay inlet inn
innate innocent innuendo input inquire inquiry insigne inspect instant instead instil instinct instruct insular
insulate insulin integer integral interact intercom interim interior intern internal internet interval intimacy
intrepid intrigue invert invite inviting invoke involve iodine ion iota iron irony irrigate island isle isolate
issue isthmus italic item itemize iterate ivory ivy jack jackal jackdaw jacket jackpot jade jagged jaguar jam jamb
jamboree jangle janitor jar jargon jaunt jaunty javelin jay jazz jeans jelly jersey jest jester jesting jet jetty
jewel jewelry jibe jiffy jig jiggle jigsaw jingle jitters job jockey jocular jog jogging join joining joint joke
jolt jolting jostle journal journey jovial joy joyful joyous joystick jubilant jubilee judicial judo jug juggle
juggler juggling juice juicy jumble jumbo jump jumper jumping jumpy junction juncture jungle junior juniper junket
justice justify jute juvenile kangaroo karat karate kayak keel keen keep keeper keeping keepsake keg kelp kennel
kerchief kernel kerosene kerosine ketchup kettle key keyboard keyhole keynote keystone keyword khaki kick kickback
kickoff kid kiln kilobyte kilogram kilowatt kilt kimono kind kinder kindle kindling kindred kinfolk king kingdom
kinship kiosk kipper kiss kit kitchen kite kitten kitty kiwi knack knapsack knead knee kneecap knight knit knitting
knoll knotty know knuckle koala kosher kudos lab label lace lacquer lacrosse lacy lad lade laden ladle lady ladybug
ladylike laggard lagoon lair lake lamb lambda lamp lance land lander landing landlady landlord landmark lane
language languor lanky lantern lap lapel large larger lark laser last lasting latch late latent lateral latex lath
lathe lather latitude latrine latter lattice laud laugh laughter launch launcher launder laundry laureate laurel
lava lavatory lavender lavish lawful lawmaker lawn layout lead leaden leader leading leaf leaflet leafy league lean
leaning leap leapfrog leaping learn learning learnt lease leash leather leathery leave lectern lecture lecturer
ledge ledger leek leeway leftmost leg legacy legal legalize legend legible legibly legume leisure lemon lemonade
lend length lengthen lengthy leniency lenient lens lentil leopard leotard lessen lesson letdown letter lettuce letup
levee level leverage lexical lexicon liaison liberal liberate liberty library libretto license lichen licorice lid
life lifeboat lifelike lifeline lifelong lifespan lifetime lift lifting ligament ligature light lighten lighter
liken likewise liking lilac lilt lilting lily limb lime limerick limit linchpin line lineage linear linefeed linen
linger lingo linguist liniment link linkage linker linoleum lint lion lioness lipstick liquefy liqueur liquid
liquify liquor list listen listener litany literacy literal literary literate lithe lithium little liturgy live
liven lizard llama load loaf loam loaves lobbied lobby lobe lobster local locale localize locate lock locker locket
locust lodge lodger lodging loft lofty logic logical logician logo loll lollipop lollypop lone long longer longhand
longing longish look looking lookout loom loon loop loophole looping loose loosen lope lord lore lorry lot lottery
lotus loud lounge low lowering loyal loyalty lozenge lucid luck lucky luggage lukewarm lullaby lumber luminary
luminous lumpy lunar lunch luncheon lupine lush lustre lute luxury lynchpin lyre lyric lyrical macaroni machine
mackerel madcap magazine magenta magic magical magician magnate magnet magnetic magnify magnolia magnum magpie
mahogany maid maiden mail mailbox mailman mailmen main mainland mainline mainstay maintain maize majestic majesty
major make maker makeup making mall mallard mallet malt maltreat mama mammal mammoth manacle manage manager mandate
mandible mandolin mane maneuver mange mango mangrove manhole manhood manic manicure manifest manifold mankind
manpower mantel mantle manual manure map maple mapping marathon marble marbling march marcher marching mare margin
marginal maria marigold marina marinate marine mariner marital maritime mark marker market marksman marksmen maroon
marquee marriage married marrow marry marsh marshal marshy mart martial martin marvel mascara mascot mask mason
masonry massage massive mast mastery mat matador match matching mate material maternal math matron matt matte
mattress mature mauve maverick maxim maxima maximal maximize maximum maze meadow meal meander meantime measure
mechanic medal media median mediate medical medicine medieval meditate medium medley meek meet meeting megabyte
megaton mellow mellower melodic melody melon melt melting member membrane memento memo memoir memorial memorize
memory mend mental menthol mention mentor menu meow merchant merciful mercury merge merger merging meridian meringue
merit mermaid merry mesh message metal metallic metaphor mete meteoric method metric metro mettle mice midday middle
midnight midst midway midwife mien mighty migrant migrate mike mild mildew mile mileage militate milk milkman
milkmen milky mill miller milliner milling mime mimic mimicry mince mind mindful minding mine miner mineral mingle
minibus minimal minimize minimum ministry mink minnow minstrel mint minuet minus minute miracle mirage mirror mirth
misnomer miss missive mist mistress mitigate mitt mitten mix mixing mixture mnemonic moat mobile mobilize moccasin
modal mode model moderate modern modesty modified modify modular modulate module mohair moist moisten moisture molar
molasses mold molding moldy mole molecule mollify mollusk molt molten moment momentum monarch monarchy monetary
money mongoose monitor monkey monogamy monogram monolog monopoly monorail monotony monsoon month monument mood moody
moon moonbeam moor mooring moose moot mop moreover morn morning morsel mortar mortgage mosaic mosquito moss mossy
motel moth mothball mother motif motion motivate motive motley motlier motliest motor motoring motorize motorway
motto mound mountain mouse mousey mousse mousy mouth mouthful move mover movie moving muffin muffle mulch mule multi
multiple multiply mumble mummify mummy mundane mural muscle muscular muse museum mushroom music musical musician
musk mussel mustache mustang mustard mutton mutual myriad mystery mystic mystical mystify myth mythical nail name
namesake naming nap nape napkin nappy narrate narrow nation national native natty natural nature naught nautical
navigate nearby neat nebula nebulae nebulous neck necklace neckline necktie nectar need needle neigh neighbor neon
neophyte nephew nest nestle nestling net nettle network neural neuron neutral neutron new newbie newborn newcomer
newscast newsy newt newton next nibble nice nicer nicety niche nick nickel nickname niece nifty night nimble nimbly
nine nineteen ninety ninny ninth nitrate nitrogen nobility noble nobleman noblemen nobly nod nodding node noise
noisy nomad nomadic nominal nominate nominee noodle nook noon norm normal north northern nose notably notation notch
note notebook notice notified notify noting notional noun nourish nova novel novelty novice now nowadays nozzle
nuance nuclei nucleus nugget numeral numerate numeric numerous nuptial nursery nurture nutmeg nutrient nutshell
nutty nuzzle oak oar oasis oatmeal obedient obelisk obey object obligate oblige oblique oblong oboe observe observer
obtain obvious occasion occupant occupied occupy occur ocean oceanic octagon octal octave octopus ocular odometer
offbeat offering offhand office official offload offset offshoot offshore offstage oil oily ointment okay okra old
olden olive omega omelet omen omission omit omnibus oncoming one ongoing onion onlooker onrush onset onward oodles
opal open opener opening opera operand operatic opinion opponent opposite opt optic optical optician optimal
optimism optimist optimize optimum optional opulent opus oracle orange oration orator oratory orbit orbital orbiting
orchard orchid ordain order ordering ordinary ore organ organic organize orient origin original ornament ornate
orthodox osmosis ostrich otter ounce outdid outdo outfit outlay outlet output outrun outset oval ovation oven
overall overdue overlap overlay overlie oversee overt overture overuse owing owl own owner oxide oxidize oxygen
oyster ozone pace pacific pacified pacify pacing pack package packer packet packing pact pad padding paddle paddling
paddock paddy padlock page pageant pagoda pail paint painter painting pair pairing pajamas palace palate palatial
palette pall palm palomino palpably pamper pamphlet pan panacea pancake pancreas panda pander pane panel paneling
pang panorama panther pantry papa papaya paprika papyrus parade paradigm paradise paradox paraffin paragon parakeet
parallel parasol parcel parch pardon pare parent parental park parka parking parkway parlor parrot parse parsec
parsing parsley parsnip parson part partake partaken partial particle partied partisan partizan partner partook
party pass passage passbook passive passport password past pasta paste pastel pastiche pastime pastoral pastry
pasture pasty patch patchy pate patent paternal path pathos pathway patience patio patriot patron pattern patty
pause pausing pave pavilion paving paw pawn payload payoff payroll pea peace peaceful peach peak peal peanut pear
pearl pebble pecan peck peculiar pedagogy pedal peddle pedestal pedigree pedlar peek peel peep peer peering pelican
pellet pen pence penchant pencil pend pendant pendulum penguin penknife pennant penning penny pensive pentagon peon
peony people pepper perceive percent perch perfect perform perfume period periodic perk permeate permit peroxide
perplex persist person persona personal persuade pertain perturb perusal peruse pervade pet petal petrol petunia
pewter phantom pharmacy phase pheasant phoenix phone phonetic phonics phosphor photo photon phrase physic physical
physique pianist piano piccolo pick pickax picket picking pickle pickup picky picnic picture pie piece pier piety
pig pigeon pigtail pike pile pillar pillow pilot piloting pin pinch pine pink pinnacle pinpoint pint pioneer pipe
pipeline pique piranha pirate piston pitch pitcher pivot pivotal pixie pizza placard placate place placenta placid
placing plaice plaid plain plan planar plane planet plank plankton planner planning plant plantain planter planting
plaque plasma plaster plastic plate plateau plateaux platform platinum platter play playback player playful playing
playmate playpen plaza plea plead pleasant please pleasure pleat pled pledge plenty plethora pliable pliant plied
pliers plight plod plop plot plotter plough plow ploy pluck plucky plug plum plumage plumb plumber plume plummet
plump plunge plural plus plush plywood pocket pod podium poem poet poetic poetical poetry poignant point pointer
poise poky polar polarize pole policy polish polite polka poll pollen polling pollster polo polygon poncho pond
pontoon pony poodle pool pooling popcorn poplar poppy populace popular populate populous porpoise porridge port
portal portend portent porter porthole portico portrait portray pose position positive possible possibly possum post
postage postal postbox postcard postcode poster posting postman postmark postmen postpone posture posy pot potato
potency potent pothole potter pottery pouch poultry pound pour pouring pout powder powdery power powerful practice
practise prairie praise praising pram prance preamble precede precinct precious precise preclude predict prefab
preface prefect prefer prefix prelude premier premiere premise premium prepaid prepare prepay presence present
preserve preside press pressing pressure prestige presto presume pretence pretend pretext prettied pretty pretzel
prevail prevent preview previous price pried primal primary primate prime primer primeval primrose prince princess
print printer printing printout prior prism privacy private privy prize probably probe problem proceed process
proclaim procure prodigal prodigy produce producer product profess proffer profile profit profound progeny program
progress project prolific prolog prologue prolong prom promise promote prompt prompter prone pronoun proof prop
propel property prophecy prophesy proposal propose prose prospect prosper protect protein protocol proton protract
protrude proud prouder provably prove proven proverb provide provider province proviso prow prowess proxy prudence
prudent psyche public publish puck pudding puddle pueblo puff puffy pulley pullover pulp pulpit pulsate pulse puma
pumice pumpkin punctual puncture pundit punt pup pupil puppet puppy purchase pure purified purify purple purpose
purr purring purse pursue pursuit purveyor push pushover puzzle puzzling pyramid python quadrant quail quaint
qualify quality quantify quantity quantum quark quarry quart quarter quartet quartz quaver quay queen quench query
quest queue quiche quick quicken quicker quiet quieter quill quilt quilting quinine quintet quip quirk quirky quiver
quiz quorum quota quote quotient quoting rabbit raccoon racquet radar radial radiance radiant radiate radical radii
radio radish radium radius raffle raft rafter rafting ragtime railroad railway rain rainbow raincoat raindrop
rainfall rainy raise raisin rake rallied ramble rambler ramp ranch ranching rang range ranger rank ranking rankle
rapid rapport rapture rare raring raster rate ratified ratify rating ratio rational ravel raven ravine ray rayon
reach reaching react reactor read reader readied reading ready real realize realm realty ream reap reaper reason
rebate rebuttal recap receipt receive receiver recess recipe recital reckon recline recluse recovery recruit rectify
rector recur red redden redhead redid redo reduce reed reef reel refer referee refinery reflect refrain refuge regal
regalia regard regatta regimen region regional register registry regular regulate reign rein reindeer reis rejoice
relative relax relaxing relay relevant reliably reliance reliant relic relief relieve relish rely remedial remedied
remedy remit remnant remote removal rend render renew renewal renounce renovate renown rent rental repay replete
replica reply repute require rescind rescue rescuer resemble reset resident residual residue resin resolute resonant
respect respond response rest restful resting restive result resume retain retort retrieve retry reuse revamp revel
revelry revere reverent reverie reversal revert revival revive revoke revolve revue rhapsody rhetoric rhino rhubarb
rhyme rhythm rhythmic rib ribbon rice rich richer rickety rickshaw riddance riddle ride rider ridge riding rife rift
right rightful rigorous rile rim rind ring ringing ringlet ringworm rink rinse ripe ripen ripening riposte ripple
rise rising rite ritual rival rivalry river rivet roach road roadside roam roaming roar roast roasting robe robin
robot robust rock rocker rocking rocky rodent rodeo roe role roll roller rolling roman romance romantic romp roof
roofing rook rookie room rooming roommate roomy roost rooster root rooting rope rose rosemary roster rostrum rosy
rotary rotate rotunda roughage roulette round rounder rouse rout route routine row rowboat rowdy rowing royal
royalty rub rubble rubric ruby rucksack ruddy ruff ruffle rug rugby rule ruler rum rumble ruminate rummage rummy
rumple run runaway rundown rune runner runway rural rush rustic rustle rustling rye saber saddle safari safe safety
saffron saga sage sail sailboat sailing sake saki salad salami salary sale salesman salesmen salient sallow salmon
salon saloon salt salting salty salute salvage sample sampler sanctify sanction sand sandal sandbag sandman sandmen
sandwich sandy sane sanitary sap sapling sapphire sardine sari sash sassy satchel satin satire satirize satisfy
saturate sauce saucepan saucer saucy sauna saunter sausage save saver saving savior saviour savory savvy sawdust
scaffold scalar scale scallop scalpel scaly scamper scan scanner scarf scarlet scarves scatter scenario scene
scenery scenic scent scenting scepter schedule scheme scholar school schooner science scissor scoop scoot scooter
scope scorpion scotch scour scout scouting scrabble scram scramble scrawl screen scribble scribe script scroll
scruple scrutiny scuff scuffle sculptor scurried scurry scuttle scythe sea seafood seal seam seaport sear search
seashell seashore seasick seaside season seasonal seat seaweed secede seclude second secrecy secret secrete secular
secure sedan sedate sedative sediment seed seedling seek seem seer seesaw segment select self sell selling selves
semantic semester seminar seminary senate send sender senior sense sensible sensibly sensing sensory sensual
sensuous sentence sentient sentry separate sequel sequence sequin serenade serene serener serial series serious
serpent serum servant serve server service servile serving session set setback settle settler seven seventh seventy
several shabby shack shackle shade shading shadow shadowy shady shaggy shake shaken shaky shallow shamble shampoo
shamrock shanty shape share sharing shark sharp sharpen sharper shave shaven shaver shawl sheaf sheath sheathe
sheave shed sheen sheep sheet sheik shelf shelter shelve shepherd sherbert sherbet sherry shield shift shimmer shin
shine shingle shining shiny ship shire shirt shoal shoe shoelace shop shopper shopping shore short shortage shorten
shout showcase showdown shower showing showman showmen showy shrimp shrink shroud shrub shrug shrunken shuck shuffle
shunt shutdown shuttle sibling side sideline sidelong sideshow sidestep sidewalk sideways sidle sierra siesta sieve
sift sifting sigh sight sigma sign signal signify signing signpost silence silent silicon silk silken sill silly
silo silt silver silvery similar simile simmer simple simpler simplex simplify simply simulate sincere sincerer sine
sing singe singer singing single singular sink sinus siphon sire siren sirloin sister site sitter situate sixpence
sixteen sixth sixtieth sixty size sizing sizzle skate skater skating skein skeleton sketch sketchy skew ski skid
skilful skill skillet skillful skim skin skip skipper skirt skit skittish skunk sky skylight skyline slab slacken
slake slam slat slate sleek sleep sleeper sleepy sleet sleeve sleigh slender slice slicing slide slight slily sling
slink slip slipper slippery sliver slogan slope slosh slot slow slower sluice slumber small smallish smart smarter
smidge smidgen smile smiling smit smith smock smoke smoky smolder smooth smoother smote snack snacking snail snake
snap snappy snapshot sniff sniffle snip snippet snooker snooze snorkel snow snowball snowfall snowing snowplow snowy
snug snuggle soak soap soapy soar soaring sobriety soccer sociable social society sock socket soda sodium sofa soft
softball soften softer software sojourn solace solar sole solemn soli solid solidify solitary solitude solo soluble
solution solve solvent someday sometime sonata song sonic sonnet sonorous soon sooner soothe soothing soprano
sorority sort sorta sorting sound sounding soup source south southern southpaw souvenir sown space spacial spacing
spacious span spangle spaniel spar spare spark sparkle sparkler sparrow spate spatial spatula speak speaker speaking
special species specific specify specimen specious speck spectra spectrum speech speed speedy spell speller spelling
spend spending sphere sphinx spice spicy spider spigot spin spinach spinal spindly spine spinning spiral spire
spirit splash splendid splendor splice splint split sponge spongy sponsor spoof spool spoon spoonful sporadic spore
sport spot spotty spouse spout sprawl spray spread spree sprig spring springy sprinkle sprint sprinter sprout spruce
spry spud spurious sputter squadron squander square squarer squeak squeaky squeeze squid squint squire squirrel
stable stack stacking stadia stadium staff stag stage staid stair stairway stake stall stalwart stamina stamp stance
stanch stand standard standby standing standoff stanza staple stapler star starch starchy stardom stare starfish
stark starring starry start starter starting startle state static statue stature status statute staunch stay
steadied steady steak stealthy steam steamy steel steep steeple steer stellar stem stencil step stepping stereo
sterling stern sterner stew steward stick stickler sticky stiffen stilted stimuli stimulus sting stingy stir
stirring stirrup stitch stock stockade stocking stocky stoical stoke stolid stomach stone stony stopgap stopover
stoppage storage store storing stork storm stormy story stout stow stowaway straddle straggle straight strap strata
strategy stratify stratum straw streak stream streamer street strength stretch strew strict stridden stride string
stringy stript strive stroll stroller strong struggle strum strut stub stubble stubborn stubby student studied
studio studious study studying stuff sturdy stutter style stylish stylus subgroup subject sublet sublime submerge
submit subset subside subsidy subtle subtlety subtly subtract suburb suburban subway succeed success succinct succor
succumb sudden suds suede suffice suffix suffrage sugar sugary suggest suing suit suitably suitcase suite suiting
sulphur sultan summary summit summon sun sunbathe sunburn sunburnt sundae sundial sundown sundry sunlight sunlit
sunning sunny sunrise sunset sunshine suntan sunup superb superior supplant supple supplied support suppose supreme
sure surer surf surface surfing surge surmise surmount surname surpass surplus surprise surreal surround survey
survival survive suspend sustain swagger swampy swan swap swathe sway sweep sweeper sweet sweeten sweeter swell
swerve swift swifter swim swimming swing swinging swipe swirl swish switch switcher swivel swollen swoon swoop
syllable syllabus symbol symbolic symmetry sympathy symphony synapse synonym synopsis syntax syphon syringe syrup
system tab tabby table tablet tabloid taboo tabulate tacit taciturn tack taco tact tactful tactic tactical tadpole
tag tail tailgate tailspin take takeoff takeover talc tale talent talisman talk talker talking tall taller tallied
tallow talon tame tan tandem tang tangent tangible tangle tango tank tankard tap tape tapestry tapping tariff tartan
tartar task tassel taste tasteful tasting tasty tattle tattoo tatty tavern tawny taxi taxicab taxpayer tea teach
teacher teaching teacup teak team teammate teamster teamwork teapot teardrop teaspoon teen teenage teepee teeter
teeth teethe teetotal telegram teletype televise tell teller temper tempest template tempo temporal ten tenacity
tenancy tend tendency tender tendon tendril tenement tenet tennis tensors tent tentacle tenth tenuous tenure tepee
tepid term terminus termite terrace terrain terrier terrific terse test tester testify tether text textbook textile
textual texture thank thankful thanking thatch thatcher theater theatre thee theme theorem theorize theory therapy
thermal thesis theta thick thicken thicker thicket thimble thin thing think thinker thinking thinner third thirsty
thirteen thirty thistle thong thorough thousand thread three thresh thrice thrift thrifty thrill thriller thrive
thriven thriving throat throb throne throng throve throw thumb thunder thyme thyroid tiara ticket tickle ticklish
tidal tidbit tide tidied tidier tidy tied tier tiger tight tighten tighter tilde tile tiling tilt timber time timer
timezone timid timing tin tinder ting tinge tingle tinker tinkle tinny tinsel tint tinting tiny tipi tiptoe tissue
title toad toast toaster toasting toboggan today toddle toe toenail toffee toffy toggle toil token tolerant tolerate
toll tomato tomboy tomcat tome tomorrow tonal tone tong tongue tonic tonight tonnage tonne tonsil toolkit toot tooth
top topaz topic topical topology topple torch tornado torque torrent torrid torso tortilla tortoise toss tost total
tote totem toucan touch touchy tough toughen toupee tour touring tout towel town toy trace tracing track tract trade
trader traffic trail trailer train trainee trainer training trait trance tranquil transact transfer transit transmit
trapdoor trapeze travel traveler traverse trawl tray treacle tread treading treasure treasury treat treatise treaty
treble tree trek trekking trellis tremble trend trendy trestle triangle tribunal tribute trickle tricky tricycle
tried trifle trill trilogy trim trimmer trimming trinity trinket trio trip triple triplet tripod triumph trivia
trivial troll trolley trombone trophy tropical trot trotting troupe trouser trout trowel truce truck trudge true
truer truffle trumpet truncate trunk trust trustee trustful trusting trusty truth truthful tryout tub tuba tube
tubing tubular tuck tuft tug tuition tulip tumble tumbler tummy tuna tundra tune tuneful tuner tunic tunnel turban
turbine tureen turf turn turner turning turnip turnout turnover turnpike turret turtle tusk tussle tutor tutorial
tuxedo twang tweak tweet tweezers twelfth twelve twenty twice twiddle twig twilight twin twine twinkle twinning
twirl twirling twist twister twisting twitch twitter two tycoon type typeface typeset typhoon typical typified
typify typing ultimate ultra umbrella umpire umpteen uncle uncut underlie undertow unicorn unicycle unified uniform
unify union unionize unique unison unit unite unity universe upbeat update updating upend upgrade upheld uphill
uphold upkeep uplift upload upright uprising uproot upshot upside upstairs upstart upstream uptake uptown upturn
upward uranium urban urbane urge urgency urgent urn usable usage use used useful user usher using usual utensil
utility utilize utmost utter vacancy vacant vacate vacuum valet valiant valid validate valise valley valor value
valve van vane vanguard vanilla vanish vapor vaporize variable variance variant varied variety various varnish
varsity vary vase vast vat vault vaulting veal vector veer vehement vehicle veil vein velocity velour velvet velvety
vend vending veneer venison vent venture venue veracity veranda verandah verb verbal verbatim verbiage verbose verge
verified verify verse versus vertebra vertical vertices vertigo verve vessel vest vestige vet veto via viable vial
vibrant vibrate vicinity victor victory video vied view viewer viewing vigil vigilant vigor vigorous villa village
villager vine vinegar vineyard vintage vinyl viola violet violin virtual virtue virtuoso virtuous visa vise visible
visibly visit visiting vista visual vital vitamin vivacity vivid vocal vocation vodka vogue voice voicing volcanic
volcano volition volley volt voltage volume vortex vote voter vouch vow vowel voyage voyager waddle wade wafer
waffle waft wag wage wagon waist wait waiter waiting waitress waive wake waken waking walk walker walking walkout
wall wallet wallop wallow walnut walrus waltz waltzing wand wander want warble wardrobe warm warmer warming warmth
warn warp warranty warren wash washer washout washroom wasp wastage watch watchdog watchful watchman watchmen water
watering waterway watery watt wave waveform waving wavy wax waxy way waylay wayside wayward wealth wealthy wean wear
weather weave weaver weaving web wedge week weekday weekend weigh weight weighty welcome weld welder welfare well
welt wept west westerly western westward wet whale wharf wharves wheat wheedle wheel whet whiff whim whir whirl
whirr whisk whiskey whisky whisper whistle whiten whittle whoop wick wicker wicket wide widen wider width wield wife
wig wiggle wigwam wild wildcat wildfire wildlife wilful will willful willing willow wilt wily win winch wind
windfall winding windmill window windpipe windy wine wing wink winter wintery wintry wipe wire wisdom wise wish
wishbone wishful wishing wisp wispy wist wistful wit withdraw withdrew withheld withhold within without witty wizard
wobble wobbly wolf wolves woman wombat women wonder wondrous woodland woodsman woodsmen woodwind woodwork woody wool
woolen word wording wordy work workbook worker working workload workman workmen workout workshop world wormhole
worth worthy wow wrap wrapper wreath wreathe wren wrestle wriggle wright wrist writ write writer writhe writing
written yacht yachting yack yak yam yank yard yarn yawn year yearn yeast yes yeti yew yield yielding yodel yoga
yogurt yoke yolk yonder young younger youth youthful zany zeal zebra zenith zero zest zeta zigzag zillion zinc zip
zipper zodiac zone zoo zoology zoom zooming zucchini
`;

export const aliasWords: readonly string[] = text.trim().split(/\s+/);
